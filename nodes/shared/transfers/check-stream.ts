import fs from 'node:fs';
import type { Readable } from 'node:stream';
import type { ClientError } from '../../../src/client/index.js';
import { createNodeError } from '../node/flow-error.js';
import { isClonedStream } from '../service/registry.js';

const REMEDY = 'Pass a path or a Buffer instead, or connect only one wire.';

/**
 * Throws `INPUT_INVALID` if a stream cannot be read: if it is a clone, whose data arrives at the original, or if another
 * reader takes its data. It is not closed, because a clone may share the file of its original.
 */
export function assertReadable(stream: Readable, description: string): void {
  const isClone = isClonedStream(stream) || typeof stream.read !== 'function' || hasClonedParts(stream);
  if (isClone)
    throw createRefusal(
      `Cloned stream: ${description}`,
      'Node-RED clones messages, and the clone of a stream has no data.',
    );
  const isRead = stream.listenerCount('data') + stream.listenerCount('readable') > 0;
  if (isRead) throw createRefusal(`Stream in use: ${description}`, 'Another node reads it.');
}

function createRefusal(cause: string, explanation: string): ClientError {
  return createNodeError('INPUT_INVALID', `${cause}. ${explanation} ${REMEDY}`);
}

// Function nodes clone messages, too. A clone of a file stream has a copy of the module `fs`; that of a connection or of a
// reply has a handle without the native object.
function hasClonedParts(stream: Readable): boolean {
  const parts = Object.getOwnPropertySymbols(stream).map((symbol) => Reflect.get(stream, symbol));
  if (parts.some((part) => part !== fs && Object(part).open === fs.open)) return true;
  const { _handle, socket } = Object(stream);
  const handle = _handle ?? socket?._handle;
  try {
    handle?.getAsyncId?.();
    return false;
  } catch {
    return true;
  }
}
