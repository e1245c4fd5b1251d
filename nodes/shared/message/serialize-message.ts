import { types } from 'node:util';
import type { NodeMessageInFlow } from 'node-red';

/** A message as JSON values, and the names of the properties that cannot be serialized. */
export interface StoredMessage {
  message: Record<string, unknown>;
  missing: string[];
}

/** Thrown if a message exceeds the size limit. */
export class MessageTooLargeError extends Error {}

/**
 * The keys of the objects that represent values without a JSON equivalent. An object of the message that has one of
 * these as its only key is wrapped in `$object`.
 */
const TAGS = ['$buffer', '$date', '$number', '$bigint', '$object'];
/** Deeper values are not serialized, because deserializing them could overflow the stack. */
const MAX_DEPTH = 100;

/** Thrown for a value that cannot be serialized. */
class NotSerializableError extends Error {}

/**
 * Converts a message to JSON values. Buffers, dates, `bigint`, `NaN` and infinite numbers are restored by
 * `deserializeMessage`. A property that contains a function, a symbol, an instance of another class (a socket, a
 * stream) or a cycle is omitted as a whole and listed in `missing`. Throws `MessageTooLargeError` when the approximate
 * size exceeds `maxBytes`.
 */
export function serializeMessage(msg: object, maxBytes: number): StoredMessage {
  let bytes = 0;
  const countBytes = (addedBytes: number) => {
    bytes += addedBytes;
    if (bytes > maxBytes) throw new MessageTooLargeError();
  };
  // The objects that contain the current value, outermost first.
  const ancestors: unknown[] = [];

  const storeObject = (value: object): unknown => {
    if (types.isUint8Array(value)) {
      countBytes((value.length * 4) / 3);
      return { $buffer: Buffer.from(value.buffer, value.byteOffset, value.length).toString('base64') };
    }
    if (types.isDate(value)) return { $date: value.getTime() };
    if (ancestors.includes(value) || ancestors.length >= MAX_DEPTH) throw new NotSerializableError();
    ancestors.push(value);
    try {
      if (Array.isArray(value)) return value.map((item) => (item === undefined ? null : store(item)));
      if (!isPlainObject(value)) throw new NotSerializableError();
      const fields = Object.fromEntries(storeFields(value));
      const [key = '', ...others] = Object.keys(fields);
      return others.length === 0 && TAGS.includes(key) ? { $object: fields } : fields;
    } finally {
      ancestors.pop();
    }
  };

  const storeFields = (value: object): [string, unknown][] =>
    Object.entries(value)
      .filter(([, inner]) => inner !== undefined)
      .map(([key, inner]) => {
        countBytes(key.length + 3);
        return [key, store(inner)];
      });

  const store = (value: unknown): unknown => {
    if (typeof value === 'object' && value !== null) return storeObject(value);
    if (typeof value === 'function' || typeof value === 'symbol') throw new NotSerializableError();
    if (typeof value === 'bigint') return { $bigint: String(value) };
    if (typeof value === 'number' && !Number.isFinite(value)) return { $number: String(value) };
    countBytes(typeof value === 'string' ? value.length + 3 : 8);
    return value;
  };

  const missing: string[] = [];
  const message: [string, unknown][] = [];
  for (const [name, value] of Object.entries(msg)) {
    if (value === undefined) continue;
    try {
      message.push([name, store(value)]);
    } catch (error) {
      if (!(error instanceof NotSerializableError)) throw error;
      missing.push(name);
    }
  }
  return { message: Object.fromEntries(message), missing };
}

// Function nodes run in another realm, whose Object.prototype is not the one of this module.
function isPlainObject(value: object): boolean {
  const prototype: object | null = Object.getPrototypeOf(value);
  return prototype === null || (Object.getPrototypeOf(prototype) === null && 'hasOwnProperty' in prototype);
}

/** Recreates a message from the values that `serializeMessage` returned. */
export function deserializeMessage(stored: unknown): NodeMessageInFlow {
  const fields = Object.entries(Object(stored)).map(([name, value]) => [name, restore(value)]);
  const { _msgid: id, ...others } = Object.fromEntries(fields);
  return { ...others, _msgid: typeof id === 'string' ? id : '' };
}

function restore(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(restore);
  const entries: [string, unknown][] = Object.entries(value);
  const [first, ...others] = entries;
  if (first && others.length === 0) {
    const [tag, inner] = first;
    if (tag === '$buffer') return Buffer.from(String(inner), 'base64');
    if (tag === '$date') return new Date(Number(inner));
    if (tag === '$number') return Number(inner);
    if (tag === '$bigint') return BigInt(String(inner));
    if (tag === '$object') return restoreFields(Object.entries(Object(inner)));
  }
  return restoreFields(entries);
}

function restoreFields(entries: [string, unknown][]): Record<string, unknown> {
  return Object.fromEntries(entries.map(([key, inner]) => [key, restore(inner)]));
}
