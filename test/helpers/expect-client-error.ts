import { ClientError } from '../../src/client/index.js';

/** The ClientError that a call ends with; any other end is a failure of the test. */
export async function expectClientError(call: Promise<unknown>): Promise<ClientError> {
  const outcome = await call.then(
    () => new Error('The call succeeded where it should have failed.'),
    (error: unknown) => error,
  );
  if (outcome instanceof ClientError) return outcome;
  throw outcome;
}

/** All text that can be reached from a value, hidden properties, symbols and causes included. */
export function collectText(value: unknown, seen = new Set<unknown>()): string {
  if (typeof value === 'string') return value;
  if (Buffer.isBuffer(value)) return value.toString('latin1');
  if (typeof value !== 'object' || value === null || seen.has(value)) return '';
  seen.add(value);
  return Reflect.ownKeys(value)
    .map((key) => `${String(key)} ${collectText(Reflect.get(value, key), seen)}`)
    .join('\n');
}
