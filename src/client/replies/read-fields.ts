import { AttemptFailure } from '../transport/attempt-failure.js';

/** The fields of a JSON object whose values are not validated yet. */
export type Fields = Readonly<Record<string, unknown>>;

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Returns whether a value is an id of the API. Only ids may be inserted into a path. */
export function isUuid(value: unknown): value is string {
  return typeof value === 'string' && UUID.test(value);
}

/** Returns the fields of a JSON object. Throws `BAD_REPLY` for any other value. */
export function readFields(value: unknown): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw invalidReply('the reply is not a JSON object');
  return value as Fields;
}

/** Returns the string in a field. Throws `BAD_REPLY`, naming the field, if it is missing or of another type. */
export function readText(fields: Fields, name: string): string {
  const value = fields[name];
  if (typeof value !== 'string') throw invalidField(name, 'a string', value);
  return value;
}

/** Returns the boolean in a field. Throws `BAD_REPLY`, naming the field, if it is missing or of another type. */
export function readBoolean(fields: Fields, name: string): boolean {
  const value = fields[name];
  if (typeof value !== 'boolean') throw invalidField(name, 'a boolean', value);
  return value;
}

/** Returns the id in a field. Throws `BAD_REPLY`, naming the field, if it is missing or not a UUID. */
export function readUuid(fields: Fields, name: string): string {
  const value = fields[name];
  if (!isUuid(value)) throw invalidField(name, 'a UUID', value);
  return value;
}

/** Returns the id in a field. Throws `BAD_REPLY` if it is not the id of the requested operation; case is ignored. */
export function readMatchingId(fields: Fields, name: string, expected: string): string {
  const id = readUuid(fields, name);
  if (id.toLowerCase() !== expected.toLowerCase()) throw invalidReply(`the reply is for a different operation (${id})`);
  return id;
}

/** Returns what `read` returns for a field, or `undefined` if the field is missing or null. */
export function readOptional<T>(
  fields: Fields,
  name: string,
  read: (fields: Fields, name: string) => T,
): T | undefined {
  return fields[name] === undefined || fields[name] === null ? undefined : read(fields, name);
}

function invalidField(name: string, expected: string, value: unknown): AttemptFailure {
  if (value === undefined) return invalidReply(`the reply has no field "${name}"`);
  return invalidReply(`invalid field "${name}" in the reply: expected ${expected}`);
}

function invalidReply(detail: string): AttemptFailure {
  return new AttemptFailure('garbled', 'BAD_REPLY', detail);
}
