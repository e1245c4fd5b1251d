import { ClientError } from '../../../src/client/index.js';
import { type Field, readSettings, type SettingsOf } from '../node/settings.js';
import { STEP_OPERATIONS } from '../operations.generated.js';
import { operationFields } from './operation-parameters.js';

const STEP_FIELDS = operationFields(...STEP_OPERATIONS);

/** The settings of a step: an operation on the result of the previous step. */
export type StepSettings = SettingsOf<typeof STEP_FIELDS>;

/** Creates the property for a list of steps. Default: one repair, also for entries that are not steps. */
export function stepList(): Field<readonly StepSettings[]> {
  const repair = readSettings(STEP_FIELDS, {});
  return {
    value: [repair],
    read: (saved) => (Array.isArray(saved) ? saved.map((step) => readSettings(STEP_FIELDS, Object(step))) : [repair]),
  };
}

/** Runs `work`. Prefixes the messages of its errors with the step and keeps their codes. */
export async function withStepContext<T>(step: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    if (!(thrown instanceof ClientError)) throw thrown;
    const { code, message, cause, statusCode, isTransient, report, isCancelled } = thrown;
    throw new ClientError(code, `${step}: ${message}`, { cause, statusCode, isTransient, report, isCancelled });
  }
}
