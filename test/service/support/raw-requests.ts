import net from 'node:net';

/** A request of a user with an idempotency key. */
export interface KeyedRequest {
  token: string;
  key: string;
  /** Whether the client waits for 100 Continue. Default: false. */
  isWaiting?: boolean;
}

const BOUNDARY = 'raw-request';

function serialize(path: string, type: string, { token, key, isWaiting }: KeyedRequest, body: string): Buffer {
  const headers = [`Authorization: Bearer ${token}`, `Idempotency-Key: "${key}"`, `Content-Type: ${type}`];
  if (isWaiting) headers.push('Expect: 100-continue');
  const length = `Content-Length: ${Buffer.byteLength(body)}`;
  return Buffer.from(
    `${[`POST /web-api/operation/${path} HTTP/1.1`, 'Host: x', ...headers, length].join('\r\n')}\r\n\r\n${body}`,
  );
}

/** Returns the bytes of a start. */
export function serializeStart(operation: string, body: object, request: KeyedRequest): Buffer {
  return serialize(operation, 'application/json', request, JSON.stringify(body));
}

/** Returns the bytes of an upload. */
export function serializeUpload(text: string, filename: string, request: KeyedRequest): Buffer {
  const disposition = `Content-Disposition: form-data; name="file"; filename="${filename}"`;
  const body = `--${BOUNDARY}\r\n${disposition}\r\n\r\n${text}\r\n--${BOUNDARY}--\r\n`;
  return serialize('file', `multipart/form-data; boundary=${BOUNDARY}`, request, body);
}

/** When a connection breaks: once the request is sent, or at the first byte of the reply. */
export type BreakMoment = 'sent' | 'replied';

/** Sends a request over a connection that breaks, so that its reply is lost. Tolerates a service that is not running. */
export function sendAndLoseReply(port: number, bytes: Buffer, moment: BreakMoment): Promise<void> {
  return new Promise((resolve) => {
    const socket = net.connect(port, '127.0.0.1');
    socket.on('error', () => undefined); // `close` follows
    socket.on('close', () => resolve());
    socket.once('data', () => socket.destroy());
    socket.write(bytes, () => {
      if (moment === 'sent') socket.destroy();
    });
  });
}
