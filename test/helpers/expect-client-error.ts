import { ClientError } from '../../src/client/index.js';

/** Returns the `ClientError` that a call rejects with. Throws if it resolves, or rejects with any other error. */
export async function expectClientError(call: Promise<unknown>): Promise<ClientError> {
  const outcome = await call.then(
    () => new Error('The call resolved; expected it to reject.'),
    (error: unknown) => error,
  );
  if (outcome instanceof ClientError) return outcome;
  throw outcome;
}

/** Returns all text that is reachable from a value, including non-enumerable properties, symbols and causes. */
export function collectText(value: unknown, visited = new Set<unknown>()): string {
  if (typeof value === 'string') return value;
  if (Buffer.isBuffer(value)) return value.toString('latin1');
  if (typeof value !== 'object' || value === null || visited.has(value)) return '';
  visited.add(value);
  return Reflect.ownKeys(value)
    .map((key) => `${String(key)} ${collectText(Reflect.get(value, key), visited)}`)
    .join('\n');
}
