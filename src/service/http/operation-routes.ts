import type { FastifyInstance } from 'fastify';
import { type Static, Type } from 'typebox';
import type { OperationHandle } from '../../api/index.js';
import type { JobParameters } from '../kernel/messages.js';
import { OPERATION_KINDS } from '../operations/kinds.js';
import type { OperationKind } from '../operations/operation-kind.js';
import { readParameters } from '../operations/parameters.js';
import { readPriority } from '../operations/priority.js';
import { ServiceError } from '../service-error.js';
import type { Files } from '../store/files.js';
import type { RequestKey } from '../store/idempotency-keys.js';
import type { NewOperation, Operations } from '../store/operations.js';
import type { Priority } from '../store/schema.js';
import { findInput } from './find-input.js';
import {
  createClaim,
  createFingerprint,
  findEarlier,
  type KeyDependencies,
  readRequestKey,
  requireSameContent,
} from './idempotency-key.js';
import { readResult, requireOperation } from './operation-records.js';

/** The dependencies of the operation routes. */
export interface OperationRouteDependencies extends KeyDependencies {
  operations: Operations;
  files: Files;
  /** Resolves with whether the last space is needed for what has been accepted. New operations are then refused. */
  isDiskFull: () => Promise<boolean>;
  /** Called after an operation was queued. */
  onQueued: () => void;
  now: () => number;
  createId: () => string;
}

const Text = Type.Optional(Type.Union([Type.String({ minLength: 1, maxLength: 4096 }), Type.Null()]));

/** The names and texts of all operations are checked here, the other parameters by `readParameters`. */
const TEXT_PARAMETERS = OPERATION_KINDS.flatMap(({ parameters }) =>
  Object.entries(parameters).flatMap(([name, parameter]) =>
    'names' in parameter || 'maxLength' in parameter ? [[name, Text] as const] : [],
  ),
);

/** The body that starts an operation. Null means absent. */
const StartBody = Type.Object({
  fileId: Text,
  inputId: Text,
  ...Object.fromEntries(TEXT_PARAMETERS),
  callbackUrl: Text,
});
type StartBody = Static<typeof StartBody>;

interface OperationParams {
  id: string;
  operation: string;
}

function readCallbackUrl(url: string | null | undefined): string | null {
  if (url === undefined || url === null) return null;
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed?.protocol !== 'http:' && parsed?.protocol !== 'https:') {
    throw new ServiceError('CALLBACK_URL_INVALID', 'Invalid callbackUrl: expected an http or https URL.');
  }
  return parsed.href;
}

/** Returns the id of the operation's input. One published client sends the id of a model as `fileId`. */
function readInputId(body: StartBody, kind: OperationKind): string {
  const field = kind.input === 'file' ? 'fileId' : 'inputId';
  const id = kind.input === 'file' ? body.fileId : (body.inputId ?? body.fileId);
  if (id === undefined || id === null) throw new ServiceError('FIELD_INVALID', `Missing field ${field}.`);
  return id;
}

/** What a start asks for. All of it identifies the content of a request that is repeated. */
interface Start {
  inputId: string;
  parameters: JobParameters;
  callbackUrl: string | null;
  priority: Priority;
}

function parseStart(kind: OperationKind, body: StartBody): Start {
  return {
    callbackUrl: readCallbackUrl(body.callbackUrl),
    inputId: readInputId(body, kind).toLowerCase(),
    parameters: readParameters(kind.parameters, body),
    priority: readPriority(body),
  };
}

/** Starts an operation, unless an earlier request with the same key did: then resolves with its operation. */
async function startOnce(
  kind: OperationKind,
  start: Start,
  { owner, key }: { owner: string; key: RequestKey | undefined },
  dependencies: OperationRouteDependencies,
): Promise<OperationHandle> {
  const fingerprint = key ? createFingerprint(start) : '';
  const earlier = await findEarlier(key, dependencies); // before all checks that the first request has passed
  if (earlier) return { operationId: requireSameContent(earlier, fingerprint) };
  const { files, operations, isDiskFull, onQueued, clock, now, createId } = dependencies;
  if (await isDiskFull()) throw new ServiceError('DISK_FULL', 'The disk of the service is full. Free disk space.');
  const { parameters, callbackUrl, priority } = start;
  const input = await findInput(files, start.inputId, owner, kind.input);
  await files.recordRead(input, clock.now());
  const row: NewOperation = {
    id: createId(),
    owner,
    kind: kind.name,
    state: 'queued',
    priority,
    is_successful: null,
    input_id: input.id,
    output_id: kind.output ? createId() : null,
    filename: input.filename,
    parameters: JSON.stringify(parameters),
    result: null,
    report: null,
    error: null,
    attempts: 0,
    progress: null,
    created_at: now(),
    started_at: null,
    finished_at: null,
    retained_from: null,
    callback_url: callbackUrl,
    callback_state: callbackUrl === null ? 'none' : 'waiting',
    callback_attempts: 0,
    callback_next_at: null,
    input_hash: null,
    kernel: null,
  };
  const first = await operations.add(row, key && createClaim(key, fingerprint, dependencies));
  if (first) return { operationId: requireSameContent(first, fingerprint) };
  onQueued();
  return { operationId: row.id };
}

/** Registers `POST /web-api/operation/<op>`, and the result of an operation. */
export function registerOperationRoutes(app: FastifyInstance, dependencies: OperationRouteDependencies): void {
  const { operations, files } = dependencies;
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => {
    try {
      done(null, JSON.parse(String(body).replace(/^\ufeff/, '')));
    } catch (cause) {
      done(new ServiceError('REQUEST_INVALID', 'Invalid request body: expected JSON.', { cause }));
    }
  });

  for (const kind of OPERATION_KINDS) {
    app.post<{ Body: StartBody }>(`/web-api/operation/${kind.name}`, { schema: { body: StartBody } }, async (request) =>
      startOnce(
        kind,
        parseStart(kind, request.body),
        { owner: request.userId, key: readRequestKey(request, kind.name) },
        dependencies,
      ),
    );
  }

  app.get<{ Params: OperationParams }>('/web-api/operation/:id/:operation/result', async (request) => {
    const { id, operation } = request.params;
    const row = requireOperation(await operations.find(id.toLowerCase(), request.userId), id);
    if (row.kind !== operation.toLowerCase()) {
      throw new ServiceError(
        'OPERATION_UNKNOWN',
        `Operation ${row.id} is of type ${row.kind}, not ${operation.slice(0, 40)}.`,
      );
    }
    return readResult(row, files);
  });
}
