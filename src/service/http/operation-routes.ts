import { randomUUID } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import type { OperationHandle } from '../../api/index.js';
import { OPERATION_KINDS, type OperationKind, StartBody } from '../operations/kinds.js';
import { ServiceError } from '../service-error.js';
import type { Files } from '../store/files.js';
import type { Operations } from '../store/operations.js';
import { findInput } from './find-input.js';
import { readResult, serializeStatus } from './operation-records.js';

/** What the starts and questions about operations need. */
export interface OperationRouteDependencies {
  operations: Operations;
  files: Files;
  /** Called when an operation was queued. */
  onQueued: () => void;
  now: () => number;
}

interface OperationParams {
  id: string;
  operation: string;
}

function readCallbackUrl(url: string | null | undefined): string | null {
  if (url === undefined || url === null) return null;
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed?.protocol !== 'http:' && parsed?.protocol !== 'https:') {
    throw new ServiceError('CALLBACK_URL_INVALID', 'callbackUrl is no http or https address');
  }
  return parsed.href;
}

/** The id that the operation works on. One published client calls a model's id `fileId`. */
function readInputId(body: StartBody, kind: OperationKind): string {
  const field = kind.input === 'file' ? 'fileId' : 'inputId';
  const id = kind.input === 'file' ? body.fileId : (body.inputId ?? body.fileId);
  if (id === undefined || id === null) throw new ServiceError('FIELD_INVALID', `${field} is missing in the body`);
  return id;
}

async function startOperation(
  kind: OperationKind,
  body: StartBody,
  owner: string,
  { files, operations, onQueued, now }: OperationRouteDependencies,
): Promise<OperationHandle> {
  const callbackUrl = readCallbackUrl(body.callbackUrl);
  const input = await findInput(files, readInputId(body, kind), owner, kind.input);
  const parameters = kind.read(body, input.filename);
  const offset = now();
  await files.recordRead(input.id, offset);
  const operationId = randomUUID();
  await operations.add({
    id: operationId,
    owner,
    kind: kind.name,
    state: 'queued',
    is_successful: null,
    input_id: input.id,
    output_id: kind.output ? randomUUID() : null,
    filename: input.filename,
    parameters: JSON.stringify(parameters),
    result: null,
    report: null,
    error: null,
    attempts: 0,
    progress: null,
    created_at: offset,
    started_at: null,
    finished_at: null,
    callback_url: callbackUrl,
    callback_state: callbackUrl === null ? 'none' : 'waiting',
    callback_attempts: 0,
    callback_next_at: null,
    input_hash: null,
    kernel: null,
  });
  onQueued();
  return { operationId };
}

/** `POST /web-api/operation/<op>`, and the status and the result of an operation. */
export function registerOperationRoutes(app: FastifyInstance, dependencies: OperationRouteDependencies): void {
  const { operations, files } = dependencies;
  const known = <T>(row: T | undefined, id: string): T => {
    if (!row) throw new ServiceError('OPERATION_UNKNOWN', `${id.slice(0, 80)} is not the id of an operation`);
    return row;
  };

  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => {
    try {
      done(null, JSON.parse(String(body).replace(/^\ufeff/, '')));
    } catch (cause) {
      done(new ServiceError('REQUEST_INVALID', 'the body is no JSON', { cause }));
    }
  });

  for (const kind of OPERATION_KINDS) {
    app.post<{ Body: StartBody }>(`/web-api/operation/${kind.name}`, { schema: { body: StartBody } }, async (request) =>
      startOperation(kind, request.body, request.userId, dependencies),
    );
  }

  app.get<{ Params: OperationParams }>('/web-api/operation/:id/status', async (request, reply) => {
    const { id } = request.params;
    const row = known(await operations.findStatus(id.toLowerCase(), request.userId), id);
    return reply.header('content-type', 'application/json; charset=utf-8').send(serializeStatus(row));
  });

  app.get<{ Params: OperationParams }>('/web-api/operation/:id/:operation/result', async (request) => {
    const { id, operation } = request.params;
    const row = known(await operations.find(id.toLowerCase(), request.userId), id);
    if (row.kind !== operation.toLowerCase()) {
      throw new ServiceError(
        'OPERATION_UNKNOWN',
        `the operation ${row.id} is no ${operation.slice(0, 40)} but ${row.kind}`,
      );
    }
    return readResult(row, files);
  });
}
