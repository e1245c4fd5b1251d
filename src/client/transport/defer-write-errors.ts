import type { Duplex } from 'node:stream';

/** Time to read a reply after a write has failed. */
const MAX_READ_MS = 1_000;

/** The events after which a socket delivers no more bytes. */
const END_EVENTS = ['end', 'error', 'close'];

type WriteCallback = (error?: Error | null) => void;

/**
 * Defers write errors of a socket until it has been read to its end, at most one second, so that a reply that was
 * already received is not lost. A service that refuses a file early closes the connection while the client is still
 * sending. Node.js destroys a socket at the first write error, together with the unread reply that states the reason.
 * Call it once per socket.
 */
export function deferWriteErrors(socket: Duplex): void {
  const { _write: write, _writev: writev } = socket;
  const defer = (callback: WriteCallback): WriteCallback => {
    // A socket that was destroyed or read to its end delivers no more bytes.
    return (error) => (error && socket.readable ? callAfterReading(socket, () => callback(error)) : callback(error));
  };
  socket._write = (chunk, encoding, callback) => write.call(socket, chunk, encoding, defer(callback));
  if (writev) socket._writev = (chunks, callback) => writev.call(socket, chunks, defer(callback));
}

function callAfterReading(socket: Duplex, proceed: () => void): void {
  const finish = () => {
    clearTimeout(timer);
    for (const event of END_EVENTS) socket.off(event, finish);
    proceed();
  };
  const timer = setTimeout(finish, MAX_READ_MS);
  for (const event of END_EVENTS) socket.once(event, finish);
}
