import { analyze } from '../../mesh/analysis/analyze.js';
import { addReasons } from '../../mesh/analysis/model-notes.js';
import { verdictOf } from '../../mesh/analysis/verdict.js';
import { parseInternal } from '../../mesh/formats/internal-format.js';
import type { ANALYZE } from '../operations/kinds/analyze.js';
import { type JobHandler, succeeded } from './job-handler.js';
import { readFileFully } from './whole-files.js';

/** Analyzes a model and computes its verdict, with the reasons of its import. Reuses the analysis that is stored with the model, if there is one. */
export const analyzeModel: JobHandler<typeof ANALYZE> = (job) => {
  const stored = parseInternal(readFileFully(job.inputPath));
  const analysis = stored.analyzed?.analysis ?? analyze(stored);
  return succeeded({ fields: { ...analysis, verdict: addReasons(verdictOf(analysis), stored.notes.reasons) } });
};
