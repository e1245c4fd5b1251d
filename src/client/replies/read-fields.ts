import { AttemptFailure } from '../transport/attempt-failure.js';

/** The fields of a JSON object, none of them looked at yet. */
export type Fields = Readonly<Record<string, unknown>>;

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Is this text an id of the API? Nothing else may enter a path. */
export function isUuid(value: unknown): value is string {
  return typeof value === 'string' && UUID.test(value);
}

/** Each reader throws `BAD_REPLY` naming the field where a reply does not hold what it must. */
export function readFields(value: unknown): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw invalidReply('the reply is no JSON object');
  return value as Fields;
}

export function readText(fields: Fields, name: string): string {
  const value = fields[name];
  if (typeof value !== 'string') throw invalidField(name, 'text', value);
  return value;
}

export function readBoolean(fields: Fields, name: string): boolean {
  const value = fields[name];
  if (typeof value !== 'boolean') throw invalidField(name, 'true or false', value);
  return value;
}

export function readUuid(fields: Fields, name: string): string {
  const value = fields[name];
  if (!isUuid(value)) throw invalidField(name, 'an id', value);
  return value;
}

/** The field must name the operation that was asked for: a reply about another one says nothing. */
export function readMatchingId(fields: Fields, name: string, expected: string): string {
  const id = readUuid(fields, name);
  if (id.toLowerCase() !== expected.toLowerCase()) throw invalidReply(`the reply is about another operation (${id})`);
  return id;
}

export function optional<T>(fields: Fields, name: string, read: (fields: Fields, name: string) => T): T | undefined {
  return fields[name] === undefined || fields[name] === null ? undefined : read(fields, name);
}

function invalidField(name: string, expected: string, value: unknown): AttemptFailure {
  const match = value === undefined ? 'is missing' : 'is something else';
  return invalidReply(`its field "${name}" should be ${expected} but ${match}`);
}

function invalidReply(detail: string): AttemptFailure {
  return new AttemptFailure('garbled', 'BAD_REPLY', detail);
}
