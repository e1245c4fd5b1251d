import { type Calls, callsWith, type Reply } from '../../service/support/account.js';
import { sphere } from '../../service/support/models.js';
import type { AcknowledgmentLog } from './acknowledgment-log.js';
import { MAX_BYTES, type Random } from './random.js';

/** The requests and operations in flight. */
export interface Load {
  /** The number of uploads without a reply. */
  uploads: number;
  /** The number of acknowledged operations that are not completed. */
  operations: number;
  /** Resolves when all streams of requests have lost their connection. Rejects after an unexpected reply. */
  ended: Promise<void>;
}

const UPLOADERS = 2;
const OPERATORS = 3;
const REUSED_FILE_FRACTION = 0.8;
// 2,000 to 20,000 triangles: an operation takes 0.1 to 0.5 s.
const ROWS = { min: 11, max: 101 };

/** Returns the body of a reply with status 200. Throws for any other status, because no limit is near. */
function readBody(reply: Reply, request: string): Reply['body'] {
  if (reply.status === 200) return reply.body;
  throw new Error(`Unexpected reply to ${request}: ${reply.status}, ${JSON.stringify(reply.body)}`);
}

async function uploadRepeatedly(api: Calls, random: Random, log: AcknowledgmentLog, load: Load): Promise<void> {
  for (;;) {
    const bytes = random.bytes(random.integer(1, MAX_BYTES));
    load.uploads += 1;
    try {
      log.recordFile(readBody(await api.upload(bytes, 'part.stl'), 'an upload').fileId, bytes);
    } finally {
      load.uploads -= 1;
    }
  }
}

/** Runs one operation. Returns the id of its output. Throws if it fails. */
async function runOperation(api: Calls, kind: string, body: object, log: AcknowledgmentLog, load: Load) {
  const { operationId } = readBody(await api.post(kind, body), `a start of ${kind}`);
  log.recordStart(operationId, kind);
  load.operations += 1;
  try {
    const status = readBody(await api.untilCompleted(operationId), 'a status request');
    log.recordCompletion(operationId, status.isSuccessful);
    if (!status.isSuccessful) throw new Error(`${kind} failed: ${status.error?.message}`);
    const result = readBody(await api.get(`${operationId}/${kind}/result`), 'a result request');
    const outputId: string = result.resultId ?? result.fileId;
    log.recordOutput(operationId, outputId);
    return outputId;
  } finally {
    load.operations -= 1;
  }
}

/** Returns the id of a model file: usually one of an earlier service process, so that stored bytes are read again. */
async function provideModelFile(api: Calls, random: Random, log: AcknowledgmentLog): Promise<string> {
  const { modelFiles } = log;
  if (modelFiles.length > 0 && random.next() < REUSED_FILE_FRACTION) return random.pick(modelFiles);
  const bytes = sphere(random.integer(ROWS.min, ROWS.max), 100);
  const { fileId } = readBody(await api.upload(bytes, 'sphere.stl'), 'an upload');
  log.recordFile(fileId, bytes);
  modelFiles.push(fileId);
  return fileId;
}

async function operateRepeatedly(api: Calls, random: Random, log: AcknowledgmentLog, load: Load): Promise<void> {
  for (;;) {
    const fileId = await provideModelFile(api, random, log);
    const model = await runOperation(api, 'import', { fileId }, log, load);
    const repaired = await runOperation(api, 'repair', { inputId: model }, log, load);
    await runOperation(api, 'export', { inputId: repaired, exportToFormat: 'stl' }, log, load);
  }
}

/** Returns whether an error is that of fetch for a lost connection. */
function isLostConnection(error: unknown): boolean {
  return error instanceof TypeError && /fetch failed|terminated/.test(error.message);
}

/** Uploads files and runs operations without pauses until the connection to the service is lost. */
export function startLoad(baseUrl: string, token: string, random: Random, log: AcknowledgmentLog): Load {
  const api = callsWith(baseUrl, token);
  const load: Load = { uploads: 0, operations: 0, ended: Promise.resolve() };
  const streams = [
    ...Array.from({ length: UPLOADERS }, () => uploadRepeatedly(api, random, log, load)),
    ...Array.from({ length: OPERATORS }, () => operateRepeatedly(api, random, log, load)),
  ];
  const untilLost = async (stream: Promise<void>): Promise<void> =>
    stream.catch((error: unknown) => {
      if (!isLostConnection(error)) throw error;
    });
  load.ended = Promise.all(streams.map(untilLost)).then(() => undefined);
  load.ended.catch(() => undefined); // Prevents an unhandled rejection: the caller awaits the promise later.
  return load;
}
