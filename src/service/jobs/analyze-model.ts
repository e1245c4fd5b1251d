import { analyze } from '../../mesh/analysis/analyze.js';
import { verdictOf } from '../../mesh/analysis/verdict.js';
import { parseInternal } from '../../mesh/formats/internal.js';
import { readWhole } from './files.js';
import { done, type JobFunction } from './job-function.js';

/** Measures and judges a model; where that was done before, by what was kept with it. */
export const analyzeModel: JobFunction = (job) => {
  const stored = parseInternal(readWhole(job.inputPath));
  const analysis = stored.analyzed?.analysis ?? analyze(stored);
  return done({ analysis, verdict: verdictOf(analysis) });
};
