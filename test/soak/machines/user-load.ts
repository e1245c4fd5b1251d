import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { sphere } from '../../service/support/models.js';
import { computeDigest } from '../support/acknowledgment-log.js';
import type { Random } from '../support/random.js';
import type { RepeatedReply, RetryingClient } from './retrying-client.js';
import type { Witness } from './witness.js';

// 800 to 8,000 triangles: an operation takes 0.1 to 0.3 s.
const ROWS = { min: 5, max: 41 };
const COLUMNS = 100;
const POLL_MS = 250;
const TRANSFER_TIMEOUT_MS = 60_000;
// Larger than one part of a multipart upload.
const LARGE_BYTES = 9 * 1024 * 1024;
const CANCELLED = 42217;
/** The service was killed ten times during the operation. */
export const ATTEMPTS_USED_UP = 42208;

/** What the streams of requests of one user need. */
export interface UserLoadDependencies {
  client: RetryingClient;
  witness: Witness;
  random: Random;
  /** The receiver of callbacks. */
  callbackUrl: string;
  /** SHA-256 of an uploaded model → that of its repaired export: the same of all users and attempts. */
  exports: Map<string, string>;
  violations: string[];
}

/** A model file that was uploaded, with its digest. */
interface SourceFile {
  id: string;
  sha256: string;
}

/** Creates the requests of a user: mixed jobs, each of which is followed to its end. */
export function createUserLoad(dependencies: UserLoadDependencies) {
  const { client, witness, random, callbackUrl, exports, violations } = dependencies;
  const { log } = witness;

  function readBody(reply: RepeatedReply, request: string): RepeatedReply['body'] {
    if (reply.status === 200) return reply.body;
    throw new Error(`Unexpected reply to ${request}: ${reply.status}, ${JSON.stringify(reply.body)}`);
  }

  async function upload(bytes: Uint8Array, filename: string): Promise<string> {
    const headers = { 'idempotency-key': `"${randomUUID()}"` };
    const body = (): FormData => {
      const form = new FormData();
      form.append('file', new Blob([bytes as BlobPart]), filename);
      return form;
    };
    const request = { method: 'POST', route: 'file', headers, body, timeoutMs: TRANSFER_TIMEOUT_MS } as const;
    const { fileId } = readBody(await client.send(request), 'an upload');
    log.recordFile(fileId, bytes);
    if (random.next() < 0.1) expectSame(fileId, readBody(await client.send(request), 'a repeated upload').fileId);
    return fileId;
  }

  function expectSame(first: string, second: string): void {
    if (first !== second)
      violations.push(`a request repeated with its idempotency key created ${second} after ${first}`);
  }

  /** Starts an operation once, although the request is sometimes sent twice at the same time or again later. */
  async function start(kind: string, input: object): Promise<string> {
    const key = `"${randomUUID()}"`;
    const hasCallback = random.next() < 0.7;
    const text = JSON.stringify({ ...input, ...(hasCallback && { callbackUrl }) });
    const headers = { 'content-type': 'application/json', 'idempotency-key': key };
    const send = () => client.send({ method: 'POST', route: kind, headers, body: () => text });
    const replies = await Promise.all(random.next() < 0.15 ? [send(), send()] : [send()]);
    const [id, ...others] = replies.map((reply) => String(readBody(reply, `a start of ${kind}`).operationId));
    if (id === undefined) throw new Error('No reply.');
    log.recordStart(id, kind);
    if (hasCallback) witness.callbacks.add(id);
    if (random.next() < 0.15) others.push(readBody(await send(), `a repeated start of ${kind}`).operationId);
    for (const other of others) expectSame(id, other);
    return id;
  }

  async function cancel(id: string): Promise<void> {
    await sleep(random.next() * 500);
    witness.cancelled.add(id);
    readBody(await client.send({ method: 'DELETE', route: id }), 'a cancellation');
  }

  /** Waits for an operation. Resolves with the id of its output, or `undefined` if it failed as it may. */
  async function follow(id: string, kind: string): Promise<string | undefined> {
    for (;;) {
      const status = readBody(await client.send({ method: 'GET', route: `${id}/status` }), 'a status request');
      if (status.isCompleted) {
        log.recordCompletion(id, status.isSuccessful);
        if (!status.isSuccessful) return expectFailure(id, kind, status.error);
        const result = readBody(
          await client.send({ method: 'GET', route: `${id}/${kind}/result` }),
          'a result request',
        );
        const outputId: string = result.resultId ?? result.fileId;
        log.recordOutput(id, outputId);
        return outputId;
      }
      await sleep(POLL_MS);
    }
  }

  function expectFailure(id: string, kind: string, error: { code?: number } = {}): undefined {
    const isExpected = error.code === ATTEMPTS_USED_UP || (error.code === CANCELLED && witness.cancelled.has(id));
    if (!isExpected) violations.push(`${kind} ${id} failed: ${JSON.stringify(error)}`);
  }

  async function run(kind: string, input: object): Promise<string | undefined> {
    const id = await start(kind, input);
    const isCancelled = random.next() < 0.08;
    const [output] = await Promise.all([follow(id, kind), isCancelled && cancel(id)]);
    return output;
  }

  async function download(fileId: string): Promise<Uint8Array> {
    const reply = await client.send({ method: 'GET', route: `file/${fileId}`, timeoutMs: TRANSFER_TIMEOUT_MS });
    readBody(reply, 'a download');
    return reply.bytes;
  }

  async function remove(fileId: string): Promise<void> {
    const { status, body, unknownOutcomes } = await client.send({ method: 'DELETE', route: `file/${fileId}` });
    if (status !== 200 && !(status === 410 && unknownOutcomes > 0))
      violations.push(`deletion of ${fileId}: ${status} ${JSON.stringify(body)}`);
    witness.deleted.add(fileId);
  }

  /** Checks that equal inputs give equal exports, whatever attempt made them. */
  function checkExport(source: SourceFile, bytes: Uint8Array): void {
    const digest = computeDigest(bytes);
    const first = exports.get(source.sha256) ?? digest;
    exports.set(source.sha256, first);
    if (first !== digest) violations.push(`the export of ${source.id} differs from another one of the same model`);
  }

  const models: SourceFile[] = [];

  async function provideModel(): Promise<SourceFile> {
    if (models.length > 0 && random.next() < 0.4) return random.pick(models);
    const bytes = sphere(random.integer(ROWS.min, ROWS.max), COLUMNS);
    const model = { id: await upload(bytes, 'sphere.stl'), sha256: computeDigest(bytes) };
    models.push(model);
    return model;
  }

  /** Imports, repairs, exports and downloads a model, and sometimes deletes what nothing needs any more. */
  async function processModel(): Promise<void> {
    const source = await provideModel();
    const imported = await run('import', { fileId: source.id });
    const repaired = imported && (await run('repair', { inputId: imported }));
    const exported = repaired && (await run('export', { inputId: repaired, exportToFormat: 'stl' }));
    if (exported) {
      const bytes = await download(exported);
      checkExport(source, bytes);
      log.recordFile(exported, bytes);
    }
    for (const id of [imported, repaired, exported]) if (id && random.next() < 0.3) await remove(id);
  }

  /** Deletes the input of an operation that was started. */
  async function deleteInput(): Promise<void> {
    const fileId = await upload(sphere(random.integer(ROWS.min, ROWS.max), COLUMNS), 'deleted.stl');
    const id = await start('import', { fileId });
    witness.cancelled.add(id);
    await remove(fileId);
    await follow(id, 'import');
  }

  async function storeFile(): Promise<void> {
    const size = random.next() < 0.3 ? LARGE_BYTES : random.integer(1, 200_000);
    const bytes = Buffer.concat(Array.from({ length: Math.ceil(size / 1_000_000) }, () => random.bytes(1_000_000)));
    const id = await upload(bytes.subarray(0, size), 'part.stl');
    if (random.next() < 0.5) await remove(id);
  }

  return {
    /** Runs one of the jobs of the mix. Throws after a reply that no fault may cause. */
    async runNext(): Promise<void> {
      const choice = random.next();
      if (choice < 0.75) await processModel();
      else if (choice < 0.85) await deleteInput();
      else await storeFile();
    },
  };
}

export type UserLoad = ReturnType<typeof createUserLoad>;
