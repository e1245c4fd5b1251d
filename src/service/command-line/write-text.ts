import { escapeControlsInLines } from '../escape-controls.js';

/** Thrown if the program that reads stdout or stderr has ended: `head` does once it has its lines. */
export class ClosedOutputError extends Error {
  override readonly name = 'ClosedOutputError';
}

// A closed pipe, and a closed socket with unread bytes, which is what Node's own child processes have.
const CLOSED = new Set<unknown>(['EPIPE', 'ECONNRESET', 'ERR_STREAM_DESTROYED', 'ERR_STREAM_PREMATURE_CLOSE']);

/** Returns the error to throw for a failed write to stdout or stderr. */
export function toOutputError(error: unknown): Error {
  const isClosed = error instanceof Error && 'code' in error && CLOSED.has(error.code);
  if (isClosed) return new ClosedOutputError('Nobody reads the output.', { cause: error });
  const reason = error instanceof Error ? error.message : 'unknown';
  return new Error(`Could not write the output: ${reason}.`, { cause: error });
}

/**
 * Writes text to stdout or stderr, with escaped control characters. Resolves once the system has accepted it, so that an exit does not truncate it.
 * Rejects with `ClosedOutputError` if nobody reads it.
 */
export function writeText(stream: NodeJS.WritableStream, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    stream.write(escapeControlsInLines(text), (error) => (error ? reject(toOutputError(error)) : resolve()));
  });
}
