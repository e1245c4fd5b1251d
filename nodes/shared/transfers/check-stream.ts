import fs from 'node:fs';
import type { Readable } from 'node:stream';
import type { ClientError } from '../../../src/client/index.js';
import { createNodeError } from '../node/flow-error.js';
import { isClonedStream } from '../service/registry.js';

const REMEDY = 'Pass a path or a Buffer instead, or connect only one wire.';
const CLONE_REMEDY = `${REMEDY} In a function node, use return msg or node.send(msg, false).`;

/**
 * Throws `INPUT_INVALID` if a stream cannot be read: if it is a clone, whose data arrives at the original, or if another
 * reader takes its data. It is not closed, because a clone may share the file of its original. A clone of a stream that
 * had all its data in memory has them too, and is accepted.
 */
export function assertReadable(stream: Readable, description: string): void {
  const isWithoutData = typeof stream.read !== 'function' || (isClonedStream(stream) && !hasAllData(stream));
  if (isWithoutData || hasClonedParts(stream)) {
    const explanation = 'Node-RED clones messages, and the clone of a stream has no data.';
    throw createRefusal(`Cloned stream: ${description}`, `${explanation} ${CLONE_REMEDY}`);
  }
  const isRead = stream.listenerCount('data') + stream.listenerCount('readable') > 0;
  if (isRead) throw createInUseError(description);
}

/** Creates the error of a stream that another reader reads. */
export function createInUseError(description: string): ClientError {
  return createRefusal(`Stream in use: ${description}`, `Another node reads it. ${REMEDY}`);
}

function createRefusal(cause: string, explanation: string): ClientError {
  return createNodeError('INPUT_INVALID', `${cause}. ${explanation}`);
}

// No public property tells that the last data has arrived: `readableEnded` is true only after they were read.
function hasAllData(stream: Readable): boolean {
  return !stream.readableDidRead && Object(Reflect.get(stream, '_readableState')).ended === true;
}

// A function node may clone a message with a library of its own. A clone of a file stream has a copy of the module `fs`;
// that of a connection or of a reply has a handle without the native object.
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
