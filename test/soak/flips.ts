// Soak test: alters a random byte in each of 200 files and 200 models of a stopped service, then checks that `verify`
// finds each of them, and that downloads, ranges, imports and repairs deliver no wrong byte. `npx tsx test/soak/flips.ts
// --count 20 --seed 42` sets the number of files and the random seed. Requires `npm run build`. Exits with 1 if a wrong
// byte is delivered or damage is not found.
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { type Calls, logIn } from '../service/support/account.js';
import { sphere } from '../service/support/models.js';
import { runProgram, startServe } from '../service/support/program.js';
import { createRandom } from './support/random.js';

const PARALLEL = 2;
const RANGES = 3;
const SERVE = ['--workers', '2', '--memory', '512M', '--log-level', 'error', '--scrub-days', '0'];

const { values } = parseArgs({ options: { count: { type: 'string', default: '200' }, seed: { type: 'string' } } });
const count = Number(values.count);
const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 32));
const random = createRandom(seed);
const folder = mkdtempSync(path.join(os.tmpdir(), 'soak-flips-'));
const data = path.join(folder, 'data');

/** A file with the model that was imported from it, and their bytes before they were altered. */
interface Pair {
  fileId: string;
  modelId: string;
  fileBytes: Uint8Array;
  modelBytes: Buffer;
}

const violations: string[] = [];
/** How requests ended. `cut`: the connection was closed before the end of the reply. */
const outcomes = { rejected: 0, cut: 0, intactRanges: 0, failedOperations: 0, sameResults: 0 };

function blobPath(id: string): string {
  return path.join(data, 'blobs', id.slice(0, 2), id);
}

/** Runs `work` for all items, `PARALLEL` at a time. */
async function forEachParallel<T>(items: readonly T[], work: (item: T, index: number) => Promise<void>): Promise<void> {
  const entries = items.entries();
  const workRemaining = async (): Promise<void> => {
    for (const [index, item] of entries) await work(item, index);
  };
  await Promise.all(Array.from({ length: PARALLEL }, workRemaining));
}

/** Runs `work` with a service on the data folder. */
async function withService(work: (api: Calls) => Promise<void>): Promise<void> {
  const service = await startServe(data, SERVE);
  try {
    await work(await logIn(data));
  } finally {
    service.child.kill('SIGTERM');
    await service.ended;
  }
}

/** Uploads different models, every fifth of more than one block of 1 MiB, and imports them. */
async function createPairs(api: Calls): Promise<Pair[]> {
  const pairs: Pair[] = [];
  const indexes = Array.from({ length: count }, (_, index) => index);
  await forEachParallel(indexes, async (index) => {
    const fileBytes =
      index % 5 === 0 ? sphere(110 + index, 100) : sphere(4 + (index % 20), 10 + Math.floor(index / 20));
    const { fileId } = (await api.upload(fileBytes, `${index}.stl`)).body;
    const { body } = (await api.run('import', { fileId })).result;
    pairs.push({ fileId, modelId: body.resultId, fileBytes, modelBytes: readFileSync(blobPath(body.resultId)) });
  });
  return pairs;
}

/** Changes one random byte of a blob. */
function alter(id: string): void {
  const bytes = readFileSync(blobPath(id));
  const offset = random.integer(0, bytes.length - 1);
  bytes[offset] = (bytes[offset] ?? 0) ^ random.integer(1, 255);
  writeFileSync(blobPath(id), bytes);
}

/** Compares the report of `verify` on a copy with what was altered. */
async function checkVerify(pairs: Pair[]): Promise<number> {
  const copy = path.join(folder, 'copy');
  cpSync(data, copy, { recursive: true });
  const { status, lines } = await runProgram(['verify', '--data', copy]);
  if (status !== 1) violations.push(`verify: exit status ${status}`);
  const found = new Set(lines.filter((line) => line.startsWith('damaged\t')).map((line) => line.split('\t')[2]));
  for (const id of pairs.flatMap(({ fileId, modelId }) => [fileId, modelId])) {
    if (!found.has(id)) violations.push(`verify did not find the damage of ${id}`);
  }
  return found.size;
}

/** Reads the body of a reply until its end or until the connection is closed. */
async function readBody(reply: Response): Promise<{ bytes: Buffer; isComplete: boolean }> {
  const chunks: Uint8Array[] = [];
  try {
    for await (const chunk of reply.body ?? []) chunks.push(chunk);
    return { bytes: Buffer.concat(chunks), isComplete: true };
  } catch {
    return { bytes: Buffer.concat(chunks), isComplete: false };
  }
}

/** Downloads the bytes from `start` to before `end`, and compares what arrives. */
async function checkDownload({ baseUrl, token }: Calls, { fileId, fileBytes }: Pair, start: number, end: number) {
  const isRange = start > 0 || end < fileBytes.length;
  const headers = { authorization: `Bearer ${token}`, ...(isRange && { range: `bytes=${start}-${end - 1}` }) };
  const reply = await fetch(`${baseUrl}/web-api/operation/file/${fileId}`, { headers }).catch(() => undefined);
  if (reply?.status === 410) outcomes.rejected += 1;
  if (!reply) outcomes.cut += 1;
  if (!reply || reply.status === 410) return;
  if (reply.status !== (isRange ? 206 : 200)) violations.push(`download of ${fileId}: status ${reply.status}`);
  const { bytes, isComplete } = await readBody(reply);
  const expected = fileBytes.subarray(start, start + bytes.length);
  if (!bytes.equals(expected)) violations.push(`download of ${fileId} from ${start} to ${end}: wrong bytes`);
  if (isComplete && !isRange) violations.push(`download of ${fileId}: complete, although a byte was altered`);
  outcomes[isComplete ? 'intactRanges' : 'cut'] += 1;
}

/** Runs an operation on an altered input. It must fail, or have the output that it had before. */
async function checkOperation(api: Calls, kind: string, parameters: object, expected?: Buffer): Promise<void> {
  const started = await api.post(kind, parameters);
  const what = `${kind} of ${JSON.stringify(parameters)}`;
  if (started.status === 410) {
    outcomes.rejected += 1;
    return;
  }
  const { operationId } = started.body;
  const { body } = await api.untilCompleted(operationId);
  if (!body.isSuccessful) {
    outcomes.failedOperations += 1;
    if (!/altered|damaged/.test(body.error?.message)) violations.push(`${what}: ${JSON.stringify(body.error)}`);
    return;
  }
  const { resultId } = (await api.get(`${operationId}/${kind}/result`)).body;
  outcomes.sameResults += 1;
  if (!expected?.equals(readFileSync(blobPath(resultId)))) violations.push(`${what}: successful with a wrong result`);
}

/** Uses an altered file and its model in a random order, because the first use may find the damage for all. */
async function checkUses(api: Calls, pair: Pair): Promise<void> {
  const size = pair.fileBytes.length;
  const uses = [
    () => checkDownload(api, pair, 0, size),
    () => checkOperation(api, 'import', { fileId: pair.fileId }, pair.modelBytes),
    () => checkOperation(api, 'repair', { inputId: pair.modelId }),
    ...Array.from({ length: RANGES }, () => () => {
      const start = random.integer(0, size - 1);
      return checkDownload(api, pair, start, random.integer(start + 1, size));
    }),
  ];
  while (uses.length > 0) await uses.splice(random.integer(0, uses.length - 1), 1)[0]?.();
}

console.log(`altering ${count} files and ${count} models, seed ${seed}`);
const startedAt = performance.now();
try {
  let pairs: Pair[] = [];
  await withService(async (api) => {
    pairs = await createPairs(api);
  });
  for (const { fileId, modelId } of pairs) for (const id of [fileId, modelId]) alter(id);
  const found = await checkVerify(pairs);
  await withService((api) => forEachParallel(pairs, (pair) => checkUses(api, pair)));
  const seconds = Math.round((performance.now() - startedAt) / 1000);
  console.log({ altered: 2 * pairs.length, foundByVerify: found, ...outcomes, violations: violations.length, seconds });
  for (const violation of violations) console.error(`VIOLATION: ${violation}`);
  if (violations.length > 0) process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
