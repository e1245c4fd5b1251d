import { ClientError } from '../../../src/client/index.js';
import { asRecord } from '../message/message-input.js';
import { type Field, readSettings, type SettingsOf } from '../node/settings.js';
import { STEP_OPERATIONS } from '../operations.generated.js';
import {
  NEW_REPAIR_PARAMETERS,
  operationFields,
  requireOperation,
  type UnknownOperation,
} from './operation-parameters.js';

const STEP_FIELDS = operationFields(...STEP_OPERATIONS);

/** The settings of a step: an operation on the result of the previous step. */
export type StepSettings = SettingsOf<typeof STEP_FIELDS>;

/** A step whose operation the node has. */
export type KnownStep = StepSettings & { operation: Exclude<StepSettings['operation'], UnknownOperation> };

/** Creates the property for a list of steps. Default: one repair. */
export function stepList(): Field<readonly StepSettings[]> {
  const repair = readSettings(STEP_FIELDS, {});
  return {
    value: [{ ...repair, parameters: NEW_REPAIR_PARAMETERS }],
    read: (saved) => {
      if (saved === undefined) return [repair];
      return Array.isArray(saved) ? saved.map(readStep) : [readStep(saved)];
    },
  };
}

/** Reads a saved step. One that has no operation, or is not an object, is not read as a repair. */
function readStep(saved: unknown): StepSettings {
  const step = asRecord(saved);
  return readSettings(STEP_FIELDS, { ...step, operation: step.operation ?? '' });
}

/**
 * Returns the steps. Throws `INPUT_MISSING` or `INPUT_INVALID` with its number if the node does not have the operation of
 * one, as the dialog numbers them.
 */
export function requireSteps(steps: readonly StepSettings[]): Promise<KnownStep[]> {
  const known = steps.map((step, index) =>
    withStepContext(`Step ${index + 1}`, async () => ({
      ...step,
      operation: requireOperation(step.operation),
    })),
  );
  return Promise.all(known);
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
