import { PassThrough, pipeline, Readable } from 'node:stream';
import { ReadableStream } from 'node:stream/web';
import { isStream } from '../message/is-stream.js';
import { assertReadable, createInUseError } from './check-stream.js';

/**
 * Returns a stream of Node.js that reads `value`, if it is a stream: of Node.js, of the package `readable-stream`, which
 * many packages use, or a web stream, such as the body of a reply to `fetch`. Returns other values unchanged. Throws
 * `INPUT_INVALID` if the stream is a clone or in use; `description` names it.
 */
export function toReadable(value: unknown, description: string): unknown {
  if (value instanceof ReadableStream) {
    if (value.locked) throw createInUseError(description);
    return Readable.fromWeb(value);
  }
  if (!isStream(value)) return value;
  // A stream may fail before it is read. Without a listener, its `error` event would terminate Node-RED. Its reader gets
  // the error again.
  value.on('error', () => undefined);
  assertReadable(value, description);
  if (value instanceof Readable) return value;
  const readable = pipeline(value, new PassThrough(), () => undefined);
  return readable.on('error', () => undefined);
}
