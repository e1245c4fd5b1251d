import type { Duplex } from 'node:stream';

/** How long a connection that takes no more bytes may still bring a reply. */
const READ_MS = 1_000;

type WriteCallback = (error?: Error | null) => void;

/**
 * Lets a reply that has arrived be read before a failed write ends its connection. A service that refuses a file early closes the
 * connection under the bytes that still come; Node destroys a socket at the first write error, and with it the reply, unread, that says
 * why. With this the error counts once the socket has been read to its end, or after a second. Called once a socket.
 */
export function deferWriteErrors(socket: Duplex): void {
  const { _write: write, _writev: writev } = socket;
  const defer = (callback: WriteCallback): WriteCallback => {
    // A socket that was destroyed, or read to its end, brings nothing more.
    return (error) => (error && socket.readable ? afterReading(socket, () => callback(error)) : callback(error));
  };
  socket._write = (chunk, encoding, callback) => write.call(socket, chunk, encoding, defer(callback));
  if (writev) socket._writev = (chunks, callback) => writev.call(socket, chunks, defer(callback));
}

function afterReading(socket: Duplex, proceed: () => void): void {
  const finish = () => {
    clearTimeout(timer);
    for (const event of EVENTS) socket.off(event, finish);
    proceed();
  };
  const timer = setTimeout(finish, READ_MS);
  for (const event of EVENTS) socket.once(event, finish);
}

const EVENTS = ['end', 'error', 'close'];
