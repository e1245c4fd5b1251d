import { Readable } from 'node:stream';
import { asRecord } from './message-input.js';

/**
 * Returns whether a value is a stream that can be read: of Node.js, or of the package `readable-stream`, whose classes are
 * its own.
 */
export function isStream(value: unknown): value is Readable {
  if (value instanceof Readable) return true;
  try {
    const { read, pipe, on, listenerCount } = asRecord(value);
    return [read, pipe, on, listenerCount].every((method) => typeof method === 'function');
  } catch {
    return false; // a getter of a flow may throw
  }
}
