import { request } from 'node:http';

/** POSTs chunks as they arrive, with a fixed Content-Length. Resolves with the status of the reply. */
export function postChunks(
  url: string,
  headers: Record<string, string>,
  chunks: AsyncIterable<Uint8Array>,
): Promise<number> {
  return new Promise((resolve, reject) => {
    const clientRequest = request(url, { method: 'POST', headers }, (reply) => {
      reply.resume();
      resolve(reply.statusCode ?? 0);
    });
    clientRequest.on('error', reject);
    const write = async (): Promise<void> => {
      for await (const chunk of chunks) clientRequest.write(chunk);
      clientRequest.end();
    };
    write().catch(reject);
  });
}
