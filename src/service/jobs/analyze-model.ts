import { analyze } from '../../mesh/analysis/analyze.js';
import { verdictOf } from '../../mesh/analysis/verdict.js';
import { parseInternal } from '../../mesh/formats/internal-format.js';
import { type JobHandler, succeeded } from './job-handler.js';
import { readFileFully } from './whole-files.js';

/** Measures and judges a model; where that was done before, by what was kept with it. */
export const analyzeModel: JobHandler = (job) => {
  const stored = parseInternal(readFileFully(job.inputPath));
  const analysis = stored.analyzed?.analysis ?? analyze(stored);
  return succeeded({ analysis, verdict: verdictOf(analysis) });
};
