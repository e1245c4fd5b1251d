import net from 'node:net';
import type { Calls } from './account.js';

const HEAD = '--b\r\nContent-Disposition: form-data; filename="a.stl"\r\n\r\n';
const TAIL = '\r\n--b--\r\n';

/** An upload of which only a part was sent. Its connection stays open. */
export interface PartialUpload {
  /** Sends more bytes of the file. */
  send(bytes: Uint8Array | string): void;
  /** Ends the body. */
  end(): void;
  /** Resolves with everything that the service has sent once it has closed the connection. */
  untilClosed(): Promise<string>;
  hangUp(): void;
}

/** Starts an upload with a Content-Length of `announcedBytes`, whatever is sent of it. */
export function startUpload({ baseUrl, token }: Calls, announcedBytes: number): PartialUpload {
  const socket = net.connect(Number(new URL(baseUrl).port), '127.0.0.1');
  let reply = '';
  socket.setEncoding('utf8');
  socket.on('data', (text) => {
    reply += text;
  });
  socket.on('error', () => undefined);
  const closed = new Promise<string>((resolve) => socket.on('close', () => resolve(reply)));
  socket.write(
    `POST /web-api/operation/file HTTP/1.1\r\nHost: a\r\nConnection: close\r\nAuthorization: Bearer ${token}\r\n` +
      `Content-Type: multipart/form-data; boundary=b\r\nContent-Length: ${announcedBytes}\r\n\r\n${HEAD}`,
  );
  return {
    send: (bytes) => void socket.write(bytes),
    end: () => void socket.write(TAIL),
    untilClosed: () => closed,
    hangUp: () => void socket.destroy(),
  };
}

/** The size of a multipart body with a file of `bytes` bytes. */
export function bodySize(bytes: number): number {
  return HEAD.length + bytes + TAIL.length;
}
