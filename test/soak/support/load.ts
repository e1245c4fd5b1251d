import { type Calls, callsWith, type Reply } from '../../service/support/account.js';
import { sphere } from '../../service/support/models.js';
import { MAX_BYTES, type Random } from './random.js';
import type { Witness } from './witness.js';

/** Requests and operations on their way. */
export interface Load {
  /** Uploads whose request was begun and not answered. */
  uploads: number;
  /** Operations that were answered for and not seen completed. */
  operations: number;
  /** Resolves when every stream of requests met the death of the service. */
  ended: Promise<void>;
}

const UPLOADERS = 2;
const OPERATORS = 3;
const FRACTION_OF_OLD = 0.8;
// 2,000 to 20,000 triangles: an operation takes a tenth of a second to half of one.
const ROWS = { least: 11, most: 101 };

/** What only a 200 gives; any other status is a broken promise while no limit is near. */
function bodyOf(reply: Reply, what: string): Reply['body'] {
  if (reply.status === 200) return reply.body;
  throw new Error(`${what} was answered with ${reply.status}: ${JSON.stringify(reply.body)}`);
}

async function uploadAll(api: Calls, random: Random, witness: Witness, load: Load): Promise<void> {
  for (;;) {
    const bytes = random.bytes(random.whole(1, MAX_BYTES));
    load.uploads += 1;
    try {
      witness.file(bodyOf(await api.upload(bytes, 'part.stl'), 'an upload').fileId, bytes);
    } finally {
      load.uploads -= 1;
    }
  }
}

/** Starts one operation and sees it through; answers the id of what it made, or undefined where it failed. */
async function operate(api: Calls, kind: string, body: object, witness: Witness, load: Load) {
  const { operationId } = bodyOf(await api.post(kind, body), `a start of ${kind}`);
  witness.started(operationId, kind);
  load.operations += 1;
  try {
    const status = bodyOf(await api.untilCompleted(operationId), 'a status');
    witness.ended(operationId, status.isSuccessful);
    if (!status.isSuccessful) throw new Error(`${kind} failed: ${status.error?.message}`);
    const result = bodyOf(await api.get(`${operationId}/${kind}/result`), 'a result');
    const outputId: string = result.resultId ?? result.fileId;
    witness.made(operationId, outputId);
    return outputId;
  } finally {
    load.operations -= 1;
  }
}

/** Mostly one that an earlier service answered for, so that its bytes are used after its death. */
async function findModelFile(api: Calls, random: Random, witness: Witness): Promise<string> {
  const { modelFiles } = witness;
  if (modelFiles.length > 0 && random.next() < FRACTION_OF_OLD) return random.oneOf(modelFiles);
  const bytes = sphere(random.whole(ROWS.least, ROWS.most), 100);
  const { fileId } = bodyOf(await api.upload(bytes, 'sphere.stl'), 'an upload');
  witness.file(fileId, bytes);
  modelFiles.push(fileId);
  return fileId;
}

async function operateAll(api: Calls, random: Random, witness: Witness, load: Load): Promise<void> {
  for (;;) {
    const fileId = await findModelFile(api, random, witness);
    const model = await operate(api, 'import', { fileId }, witness, load);
    const repaired = await operate(api, 'repair', { inputId: model }, witness, load);
    await operate(api, 'export', { inputId: repaired, exportToFormat: 'stl' }, witness, load);
  }
}

/** Only what fetch throws when the connection breaks is expected. */
function isLostConnection(error: unknown): boolean {
  return error instanceof TypeError && /fetch failed|terminated/.test(error.message);
}

/** Uploads and works without a pause, until the service dies. `ended` rejects when the service broke its word before. */
export function startLoad(baseUrl: string, token: string, random: Random, witness: Witness): Load {
  const api = callsWith(baseUrl, token);
  const load: Load = { uploads: 0, operations: 0, ended: Promise.resolve() };
  const streams = [
    ...Array.from({ length: UPLOADERS }, () => uploadAll(api, random, witness, load)),
    ...Array.from({ length: OPERATORS }, () => operateAll(api, random, witness, load)),
  ];
  const untilLost = async (stream: Promise<void>): Promise<void> =>
    stream.catch((error: unknown) => {
      if (!isLostConnection(error)) throw error;
    });
  load.ended = Promise.all(streams.map(untilLost)).then(() => undefined);
  load.ended.catch(() => undefined); // who waits for it is told
  return load;
}
