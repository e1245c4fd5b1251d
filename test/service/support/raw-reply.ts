import net from 'node:net';

/** A reply as its bytes were received. */
export interface RawReply {
  status: number;
  /** The lines of the head after the first one, without `Date`. */
  headers: string[];
  body: string;
}

/** Sends the bytes of a request, with `Connection: close`, and resolves with the reply. */
export function sendRaw(port: number, head: readonly string[], body = ''): Promise<RawReply> {
  return new Promise((resolve, reject) => {
    const socket = net.connect(port, '127.0.0.1');
    const chunks: Buffer[] = [];
    socket.on('data', (chunk) => chunks.push(chunk));
    socket.on('error', reject);
    socket.on('end', () => {
      const text = Buffer.concat(chunks).toString('utf8');
      const end = text.indexOf('\r\n\r\n');
      const [first = '', ...headers] = text.slice(0, end).split('\r\n');
      const kept = headers.filter((line) => !/^date:/i.test(line));
      resolve({ status: Number(first.split(' ')[1]), headers: kept, body: text.slice(end + 4) });
    });
    const length = body === '' ? [] : [`Content-Length: ${Buffer.byteLength(body)}`];
    socket.write(`${[...head, ...length, 'Connection: close'].join('\r\n')}\r\n\r\n${body}`);
  });
}
