import { request } from 'node:http';

/** Posts pieces as they come, under a length that was announced; answers the status of the reply. */
export function sendInPieces(
  url: string,
  headers: Record<string, string>,
  pieces: AsyncIterable<Uint8Array>,
): Promise<number> {
  return new Promise((resolve, reject) => {
    const sending = request(url, { method: 'POST', headers }, (reply) => {
      reply.resume();
      resolve(reply.statusCode ?? 0);
    });
    sending.on('error', reject);
    const write = async (): Promise<void> => {
      for await (const piece of pieces) sending.write(piece);
      sending.end();
    };
    write().catch(reject);
  });
}
