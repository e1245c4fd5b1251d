import type { NodeMessage } from 'node-red';
import { createNodeError } from '../node/flow-error.js';

/** A typed input as it was saved. */
export interface TypedValue {
  value: string;
  type: string;
}

export type IdField = 'fileId' | 'resultId' | 'operationId';

/** A text that is not blank. */
export function isNonBlankString(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '';
}

/** The fields of an object, to be read; none of anything else. */
export function asRecord(value: unknown): Readonly<Record<string, unknown>> {
  return Object(value);
}

/**
 * The id that a node works on. A setting that was changed says where it is, and nothing else does. By default it is
 * `msg.payload[field]`, or a payload that is the id itself, or `msg.model[field]`; but never the latter while the payload holds an
 * operation that was not waited for, since that one's result is meant. `INPUT_MISSING`, `INPUT_INVALID`.
 */
export async function readId(
  msg: NodeMessage,
  setting: TypedValue,
  field: IdField,
  evaluate: (setting: TypedValue) => Promise<unknown>,
): Promise<string> {
  const value = await evaluate(setting);
  if (isNonBlankString(value)) return value.trim();
  if (value !== undefined && value !== null && value !== '')
    throw createNodeError(
      'INPUT_INVALID',
      `${describeSource(setting)} holds no ${field}, but a value of type ${typeof value}`,
    );
  if (setting.type !== 'msg' || setting.value !== `payload.${field}`)
    throw createNodeError('INPUT_MISSING', `${describeSource(setting)} holds no ${field}`);
  if (isNonBlankString(msg.payload)) return msg.payload.trim();
  const payload = asRecord(msg.payload);
  if (isNonBlankString(payload.operationId) && payload.isCompleted !== true)
    throw createNodeError(
      'INPUT_MISSING',
      `operation ${payload.operationId} was not waited for: put a wait node before this one, or set "when finished"`,
    );
  const known = asRecord(msg.model)[field];
  if (isNonBlankString(known)) return known;
  throw createNodeError('INPUT_MISSING', `there is no ${field} in msg.payload, nor in msg.model`);
}

/** The name of the model file that a message is about: the payload's, else the record's. */
export function filenameOf(msg: NodeMessage): string | undefined {
  return [asRecord(msg.payload).filename, asRecord(msg.model).filename].find(isNonBlankString);
}

function describeSource({ type, value }: TypedValue): string {
  return type === 'msg' ? `msg.${value}` : `${type} "${value}"`;
}

/** A text that a setting must give, as a unit or a format; `what` names it in the error. `INPUT_MISSING`, `INPUT_INVALID`. */
export async function requireText(
  setting: TypedValue,
  what: string,
  evaluate: (setting: TypedValue) => Promise<unknown>,
): Promise<string> {
  const value = await evaluate(setting);
  if (isNonBlankString(value)) return value.trim();
  if (value === undefined || value === null || value === '')
    throw createNodeError('INPUT_MISSING', `${describeSource(setting)} holds no ${what}`);
  throw createNodeError(
    'INPUT_INVALID',
    `${describeSource(setting)} holds no ${what}, but a value of type ${typeof value}`,
  );
}

/** A parameter that is a number; a text of digits is one too. `INPUT_INVALID` for anything else. */
export function toNumber(name: string, value: unknown): number {
  const number = isNonBlankString(value) ? Number(value) : value;
  if (typeof number === 'number' && Number.isFinite(number)) return number;
  throw createNodeError('INPUT_INVALID', `${name} should be a number, but is of type ${typeof value}`);
}
