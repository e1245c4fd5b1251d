import { types } from 'node:util';
import type { NodeMessageInFlow } from 'node-red';

/** What of a message can be written to a file, as JSON values, and the names of the properties that cannot. */
export interface StoredMessage {
  message: Record<string, unknown>;
  missing: string[];
}

/** A message, or a property of it, holds more than may be stored. */
export class MessageTooLargeError extends Error {}

/** Values that JSON does not know stand as objects with one of these keys; an object of the message that looks like one is put into `$object`. */
const TAGS = ['$buffer', '$date', '$number', '$bigint', '$object'];
/** Deeper values count as such that cannot be written: reading them could end in an overflow of the stack. */
const MAX_DEPTH = 100;

class NotSerializableError extends Error {}

/**
 * Turns a message into JSON values. Buffers, dates, numbers beyond JSON and big integers come back as they were. A property that holds
 * anything else that has a life of its own (a socket, a stream, a function, an object of a class), or itself, is missing as a whole.
 * Throws `MessageTooLargeError` as soon as there are more than `maxBytes`, about.
 */
export function serializeMessage(msg: object, maxBytes: number): StoredMessage {
  let bytes = 0;
  const count = (more: number) => {
    bytes += more;
    if (bytes > maxBytes) throw new MessageTooLargeError();
  };
  const above: unknown[] = [];

  const storeObject = (value: object): unknown => {
    if (types.isUint8Array(value)) {
      count((value.length * 4) / 3);
      return { $buffer: Buffer.from(value.buffer, value.byteOffset, value.length).toString('base64') };
    }
    if (types.isDate(value)) return { $date: value.getTime() };
    if (above.includes(value) || above.length >= MAX_DEPTH) throw new NotSerializableError();
    above.push(value);
    try {
      if (Array.isArray(value)) return value.map((item) => (item === undefined ? null : store(item)));
      if (!isPlain(value)) throw new NotSerializableError();
      const fields = Object.fromEntries(storeFields(value));
      const [key = '', ...others] = Object.keys(fields);
      return others.length === 0 && TAGS.includes(key) ? { $object: fields } : fields;
    } finally {
      above.pop();
    }
  };

  const storeFields = (value: object): [string, unknown][] =>
    Object.entries(value)
      .filter(([, inner]) => inner !== undefined)
      .map(([key, inner]) => {
        count(key.length + 3);
        return [key, store(inner)];
      });

  const store = (value: unknown): unknown => {
    if (typeof value === 'object' && value !== null) return storeObject(value);
    if (typeof value === 'function' || typeof value === 'symbol') throw new NotSerializableError();
    if (typeof value === 'bigint') return { $bigint: String(value) };
    if (typeof value === 'number' && !Number.isFinite(value)) return { $number: String(value) };
    count(typeof value === 'string' ? value.length + 3 : 8);
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

// Objects that a function node made have prototypes of their own, which are not ours.
function isPlain(value: object): boolean {
  const prototype: object | null = Object.getPrototypeOf(value);
  return prototype === null || (Object.getPrototypeOf(prototype) === null && 'hasOwnProperty' in prototype);
}

/** The message that was stored, made anew. */
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
