import type { ReportWarning } from './report.js';

/** The code of the warning that a step ended at the limit of its work. */
export const WORK_LIMIT_REACHED = 'WORK_LIMIT_REACHED';

/** Creates the warning that a step of a repair or an export ended at the limit of its work. */
export function createWorkLimitWarning(step: string): ReportWarning {
  const message = `The step ${step} reached the limit of its work: the result is the best one so far. Simplify the model, or export it in parts.`;
  return { code: WORK_LIMIT_REACHED, message };
}
