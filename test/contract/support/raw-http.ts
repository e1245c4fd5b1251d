import net from 'node:net';
import tls from 'node:tls';

/** A reply as it was received. */
export interface RawReply {
  status: number;
  headers: Map<string, string>;
  body: string;
}

function parseReply(bytes: Buffer): RawReply {
  const text = bytes.toString('utf8');
  const end = text.indexOf('\r\n\r\n');
  const [statusLine = '', ...lines] = text.slice(0, end).split('\r\n');
  const headers = new Map(
    lines.map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
    }),
  );
  return { status: Number(statusLine.split(' ')[1]), headers, body: text.slice(end + 4) };
}

function isComplete(bytes: Buffer): boolean {
  const end = bytes.indexOf('\r\n\r\n');
  if (end < 0) return false;
  const length = /^content-length: *(\d+)/im.exec(bytes.subarray(0, end).toString('latin1'))?.[1];
  return length !== undefined && bytes.length >= end + 4 + Number(length);
}

function connect({ protocol, hostname, port }: URL): net.Socket {
  const host = hostname.replace(/^\[|\]$/g, '');
  if (protocol !== 'https:') return net.connect(Number(port || 80), host);
  return tls.connect({ host, port: Number(port || 443), servername: host });
}

/** Sends bytes verbatim. Resolves with the reply, or with its part if the connection closes. */
export function sendRaw(baseUrl: string, bytes: Buffer): Promise<RawReply> {
  return new Promise((resolve, reject) => {
    const socket = connect(new URL(baseUrl));
    let received = Buffer.alloc(0);
    const end = (): void => {
      socket.destroy();
      resolve(parseReply(received));
    };
    socket.on('data', (chunk) => {
      received = Buffer.concat([received, chunk]);
      if (isComplete(received)) end();
    });
    socket.on('end', end);
    socket.on('error', reject);
    socket.write(bytes);
  });
}
