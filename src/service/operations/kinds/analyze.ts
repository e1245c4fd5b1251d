import type { OperationKind } from '../operation-kind.js';
import { ANALYSIS_FIELDS, VerdictSchema } from '../report-schemas.js';

/** Measures a model and counts its defects. */
export const ANALYZE = {
  name: 'analyze',
  input: 'model',
  output: undefined,
  parameters: {},
  result: { schemaName: 'AnalysisResult', fields: { ...ANALYSIS_FIELDS, verdict: VerdictSchema } },
  dialogs: ['operation'],
} as const satisfies OperationKind;
