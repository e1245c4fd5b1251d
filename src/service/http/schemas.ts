import { type TObject, Type } from 'typebox';
import { OPERATION_KINDS } from '../operations/kinds.js';
import type { OperationKind, ResultSchemaName } from '../operations/operation-kind.js';
import { ReportSchema } from '../operations/report-schemas.js';

// JSON Schemas of the replies. They describe every field that this service sends, which the tests check, but are open:
// a later version may send more.

const Id = Type.String({ format: 'uuid' });
const Time = Type.String({ format: 'date-time' });

const ProblemEntry = Type.Object({
  code: Type.Integer({ description: 'HTTP status × 100 + n' }),
  message: Type.String({ minLength: 1, description: 'the cause, with the field or id, and the remedy' }),
  entries: Type.Optional(
    Type.Array(Type.String(), { description: 'the models in an archive, of which an import must choose one by entry' }),
  ),
});

const Format = Type.Object({
  id: Type.String(),
  extensions: Type.Array(Type.String()),
  mediaType: Type.String(),
  canImport: Type.Boolean(),
  canExport: Type.Boolean(),
  hasUnits: Type.Boolean(),
  isCurved: Type.Optional(Type.Boolean({ description: 'an import accepts accuracyMm and maxAngle' })),
  hasHelpers: Type.Optional(Type.Boolean({ description: 'an import accepts helpers' })),
  hasPlates: Type.Optional(Type.Boolean({ description: 'an import accepts plate' })),
  needsPackage: Type.Optional(Type.String({ description: 'the optional package that reads it' })),
});

/** Returns the name of the schema of an operation's result. */
export function findResultSchemaName({ result, output }: OperationKind): ResultSchemaName {
  return result?.schemaName ?? (output?.kind === 'file' ? 'FileResult' : 'ModelResult');
}

function createResultSchema({ result, output }: OperationKind): TObject {
  const outputId = output && { [output.kind === 'file' ? 'fileId' : 'resultId']: Id };
  const fields = result?.fields ?? { report: Type.Optional(ReportSchema) };
  return Type.Object({ operationId: Id, ...outputId, ...fields });
}

const RESULTS: Record<ResultSchemaName, TObject> = Object.fromEntries(
  OPERATION_KINDS.map((kind) => [findResultSchemaName(kind), createResultSchema(kind)]),
);

const STATUS_FIELDS = {
  operationId: Id,
  isCompleted: Type.Boolean(),
  isSuccessful: Type.Boolean(),
  operation: Type.String(),
  priority: Type.Optional(Type.Literal('low')),
  progress: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
  createdAt: Time,
  startedAt: Type.Optional(Time),
  finishedAt: Type.Optional(Time),
  error: Type.Optional(ProblemEntry),
};

const OutputId = { fileId: Type.Optional(Id), resultId: Type.Optional(Id) };
const Sha256 = Type.String({ pattern: '^[0-9a-f]{64}$' });
const Next = Type.Optional(Type.String({ description: 'if there are more: `before` of the next request' }));

/** The name of a reply in `/openapi.json` → its schema. */
export const REPLIES = {
  Token: Type.Object({
    access_token: Type.String(),
    token_type: Type.Literal('bearer'),
    expires_in: Type.Integer({ description: 'seconds' }),
    refresh_token: Type.String({ description: 'can be used once' }),
    userName: Type.String(),
    'as:client_id': Type.String(),
    '.issued': Type.String({ description: 'HTTP-date' }),
    '.expires': Type.String({ description: 'HTTP-date' }),
  }),
  TokenProblem: Type.Object({
    error: Type.Union(
      ['invalid_request', 'invalid_client', 'invalid_grant', 'unsupported_grant_type'].map((code) =>
        Type.Literal(code),
      ),
    ),
    error_description: Type.Optional(Type.String()),
  }),
  Problem: Type.Object({
    errors: Type.Array(ProblemEntry, { minItems: 1 }),
    message: Type.Optional(Type.String()),
  }),
  UploadedFile: Type.Object({
    fileId: Id,
    creationDate: Time,
    fileUrl: Type.String({ format: 'uri' }),
    sha256: Sha256,
  }),
  OperationHandle: Type.Object({ operationId: Id }),
  OperationStatus: Type.Object({ ...STATUS_FIELDS, report: Type.Optional(ReportSchema) }),
  OperationList: Type.Object({
    operations: Type.Array(
      Type.Object({
        ...STATUS_FIELDS,
        inputId: Id,
        filename: Type.String(),
        entry: Type.Optional(Type.String()),
        ...OutputId,
      }),
      {
        description: 'newest first',
      },
    ),
    next: Next,
  }),
  FileList: Type.Object({
    files: Type.Array(
      Type.Object({
        ...OutputId,
        kind: Type.Union([Type.Literal('file'), Type.Literal('model')]),
        filename: Type.String(),
        size: Type.Integer({ minimum: 0 }),
        creationDate: Time,
        sha256: Type.Optional(Sha256),
      }),
      { description: 'newest first' },
    ),
    next: Next,
  }),
  ...RESULTS,
  DeletedFile: Type.Object({
    ...OutputId,
    cancelledOperations: Type.Array(Id, { description: 'the operations that were cancelled with it' }),
  }),
  Health: Type.Object({
    status: Type.Literal('ok'),
    instanceId: Id,
    proof: Type.Optional(Type.String({ description: 'for a nonce: HMAC-SHA-256 with the key of credentials.json' })),
  }),
  FullDisk: Type.Object({
    status: Type.Literal('full'),
    instanceId: Id,
    errors: Type.Array(ProblemEntry, { minItems: 1 }),
  }),
  Formats: Type.Object({
    import: Type.Array(Format),
    export: Type.Array(Format),
    measurementUnits: Type.Array(Type.String()),
    operations: Type.Array(Type.String(), { description: 'the supported operations' }),
    features: Type.Array(Type.String(), {
      description: 'the supported additions to the common API, such as idempotency-key',
    }),
    limits: Type.Object({ uploadBytes: Type.Integer({ minimum: 0 }) }),
  }),
};

/** The name of a reply in `/openapi.json`. */
export type ReplyName = keyof typeof REPLIES | ResultSchemaName;
