import { types } from 'node:util';
import { asRecord } from './message-input.js';

/**
 * Returns the bytes of a value, or `undefined` if it has none: those of a Buffer, a typed array, a `DataView` or an
 * `ArrayBuffer`, also of one that a function node created, whose classes are not those of this module; and those of the
 * JSON form of a Buffer, `{ type: 'Buffer', data: [...] }`. Copies only the JSON form.
 */
export function findBytes(value: unknown): Uint8Array | undefined {
  if (ArrayBuffer.isView(value)) return new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
  if (types.isAnyArrayBuffer(value)) return new Uint8Array(value);
  const { type, data, ...others } = asRecord(value);
  const isJsonForm = type === 'Buffer' && isByteList(data) && Object.keys(others).length === 0;
  return isJsonForm ? Uint8Array.from(data) : undefined;
}

function isByteList(value: unknown): value is number[] {
  return Array.isArray(value) && value.every((item) => Number.isInteger(item) && item >= 0 && item <= 255);
}
