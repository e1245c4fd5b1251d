import { Readable } from 'node:stream';
import type { Client } from '../../../../src/client/index.js';
import { nextTurn } from '../../../helpers/next-turn.js';
import { reset } from '../../../helpers/socket-faults.js';
import { all, callOf, type Subject, type TestEnvironment } from './call-of.js';

/** Uploads a source. */
export function uploadOf(source: (environment: TestEnvironment) => Parameters<Client['upload']>[0]) {
  return callOf((client, signal, environment) =>
    client.upload(source(environment), { signal, onProgress: () => undefined }),
  );
}

/** Starts three uploads over one connection, so that two of them wait. */
export function uploadsInARow(environment: TestEnvironment): Subject {
  const limits = { ...environment.limits, bulkSockets: 1 };
  return callOf((client, signal, { bytes }) => {
    const source = { data: bytes.subarray(0, 10), filename: 'a.stl' };
    return all([client.upload(source, { signal }), client.upload(source), client.upload(source, { signal })]);
  })({ ...environment, limits });
}

/** Downloads a file to a target. */
export function downloadTo(target: (environment: TestEnvironment) => Parameters<Client['download']>[1]) {
  return callOf((client, signal, environment) =>
    client.download(environment.service.addFile(environment.bytes, { etag: '"v1"' }), target(environment), { signal }),
  );
}

/** Downloads a file whose connection is reset in the middle. */
export function brokenDownload(environment: TestEnvironment): Subject {
  const half = environment.bytes.subarray(0, environment.bytes.length >> 1);
  environment.service.fault('GET', /operation\/file\//, (request, reply) => {
    reply.writeHead(200, { 'Content-Length': environment.bytes.length, ETag: '"v1"' });
    reply.write(half, () => void reset(request, reply));
  });
  return downloadTo(({ folder }) => ({ to: 'file', folder }))(environment);
}

/** Returns a function that creates a source from a stream of two chunks. */
export function streamOf(isSizeKnown: boolean) {
  return ({ bytes }: TestEnvironment) => {
    const stream = Readable.from(slowly([bytes.subarray(0, 1000), bytes.subarray(1000)]));
    return { stream, filename: 'a.stl', ...(isSizeKnown && { size: bytes.length }) };
  };
}

/** Yields each chunk in a later tick than it was requested, like a disk. */
async function* slowly(chunks: Uint8Array[]): AsyncGenerator<Uint8Array> {
  for (const chunk of chunks) {
    await nextTurn();
    yield chunk;
  }
}
