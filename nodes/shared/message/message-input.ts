import type { NodeMessage } from 'node-red';
import { createNodeError } from '../node/flow-error.js';

/** The saved value of a typed input: an expression and its type, such as `payload.fileId` and `msg`. */
export interface TypedValue {
  value: string;
  type: string;
}

/** The properties of a message that hold ids. */
export type IdField = 'fileId' | 'resultId' | 'operationId';

/** Returns whether a value is a string with a character other than white space. */
export function isNonBlankString(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '';
}

/**
 * Returns a value as an object of unknown properties, to read from untrusted input. Other values than objects have
 * none.
 */
export function asRecord(value: unknown): Readonly<Record<string, unknown>> {
  return Object(value);
}

/**
 * Reads the id that a node works on. If the setting is not the default, only its value is used. By default, the first
 * of these is used: `msg.payload[field]`, a payload that is a string, `msg.model[field]`. Throws `INPUT_MISSING` if
 * there is no id, or if the payload has an operation that has not completed: the id in `msg.model` would be that of an
 * older model. Throws `INPUT_INVALID` if the value is not a string.
 */
export async function readId(
  msg: NodeMessage,
  setting: TypedValue,
  field: IdField,
  evaluate: (setting: TypedValue) => Promise<unknown>,
): Promise<string> {
  const value = await evaluate(setting);
  if (isNonBlankString(value)) return value.trim();
  if (value !== undefined && value !== null && value !== '') throw wrongTypeError(field, setting, value);
  if (setting.type !== 'msg' || setting.value !== `payload.${field}`) throw missingValueError(field, setting);
  if (isNonBlankString(msg.payload)) return msg.payload.trim();
  const payload = asRecord(msg.payload);
  if (isNonBlankString(payload.operationId) && payload.isCompleted !== true) {
    const remedy = 'Add a model wait node before this one, or set Send to "when finished".';
    throw createNodeError('INPUT_MISSING', `Operation ${payload.operationId} has not completed. ${remedy}`);
  }
  const modelId = asRecord(msg.model)[field];
  if (isNonBlankString(modelId)) return modelId;
  throw createNodeError('INPUT_MISSING', `No ${field} in msg.payload or msg.model.`);
}

/** Returns the name of the model file of a message: that in the payload, else that in `msg.model`. */
export function filenameOf(msg: NodeMessage): string | undefined {
  return [asRecord(msg.payload).filename, asRecord(msg.model).filename].find(isNonBlankString);
}

function describeSource({ type, value }: TypedValue): string {
  return type === 'msg' ? `msg.${value}` : `${type} "${value}"`;
}

function missingValueError(name: string, setting: TypedValue): Error {
  return createNodeError(
    'INPUT_MISSING',
    `No ${name} in ${describeSource(setting)}. Check the message or the node's properties.`,
  );
}

function wrongTypeError(name: string, setting: TypedValue, value: unknown): Error {
  return createNodeError(
    'INPUT_INVALID',
    `Invalid ${name} in ${describeSource(setting)}: expected a string, not a value of type ${typeof value}.`,
  );
}

/**
 * Reads a setting that must be a string, such as a unit or a format. Error texts contain `name`. Throws `INPUT_MISSING`
 * if there is no value, `INPUT_INVALID` if it is not a string.
 */
export async function requireText(
  setting: TypedValue,
  name: string,
  evaluate: (setting: TypedValue) => Promise<unknown>,
): Promise<string> {
  const value = await evaluate(setting);
  if (isNonBlankString(value)) return value.trim();
  if (value === undefined || value === null || value === '') throw missingValueError(name, setting);
  throw wrongTypeError(name, setting, value);
}

/**
 * Converts a parameter to a finite number. Accepts numbers and numeric strings; throws `INPUT_INVALID` for other
 * values.
 */
export function toNumber(name: string, value: unknown): number {
  const number = isNonBlankString(value) ? Number(value) : value;
  if (typeof number === 'number' && Number.isFinite(number)) return number;
  throw createNodeError('INPUT_INVALID', `Invalid ${name}: expected a number, not a value of type ${typeof value}.`);
}
