import { ClientError } from '../../../src/client/index.js';
import { type Field, readSettings, type SettingsOf } from '../node/settings.js';
import { EXTENDED_OPERATIONS, operationFields } from './operation-parameters.js';

const STEP_FIELDS = operationFields('repair', ...EXTENDED_OPERATIONS);

/** One step: an operation on the model that the step before made. */
export type StepSettings = SettingsOf<typeof STEP_FIELDS>;

/** The operations that a list of steps offers. */
export const STEP_OPERATIONS = STEP_FIELDS.operation.options ?? [];

/** A list of steps as it is saved; by default one repair. An entry that is no step counts as one. */
export function stepList(): Field<readonly StepSettings[]> {
  const repair = readSettings(STEP_FIELDS, {});
  return {
    value: [repair],
    read: (saved) => (Array.isArray(saved) ? saved.map((step) => readSettings(STEP_FIELDS, Object(step))) : [repair]),
  };
}

/** Does `work`; what goes wrong in it says at which step, under the same code. */
export async function withStepContext<T>(step: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    if (!(thrown instanceof ClientError)) throw thrown;
    const { code, message, cause, statusCode, isTransient, report } = thrown;
    throw new ClientError(code, `at ${step}: ${message}`, { cause, statusCode, isTransient, report });
  }
}
