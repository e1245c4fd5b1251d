import { type TObject, type TProperties, Type } from 'typebox';

// JSON Schemas of the replies. Objects are closed, so that validating a reply finds fields that are not described here.
// Reports and analyses stay open: the kernel may return more fields than other services do.

function closed<T extends TProperties>(properties: T): TObject<T> {
  return Type.Object(properties, { additionalProperties: false });
}

const Id = Type.String({ format: 'uuid' });
const Time = Type.String({ format: 'date-time' });
const Count = Type.Integer({ minimum: 0 });
const Measure = Type.Number();

const ProblemEntry = closed({
  code: Type.Integer({ description: 'HTTP status × 100 + n' }),
  message: Type.String({ minLength: 1, description: 'the cause, with the field or id, and the remedy' }),
});

const Verdict = closed({
  level: Type.Union(['open', 'watertight', 'manifold', 'solid'].map((level) => Type.Literal(level))),
  needsRepair: Type.Boolean(),
  reasons: Type.Array(Type.String()),
});

const ANALYSIS = {
  vertices: Count,
  triangles: Count,
  contours: Count,
  shells: Count,
  volumeMm3: Measure,
  surfaceAreaMm2: Measure,
  dimensionXMm: Measure,
  dimensionYMm: Measure,
  dimensionZMm: Measure,
  badEdges: Count,
  badContours: Count,
  solidityParams: Type.Object({
    invertedNormals: Count,
    badEdges: Count,
    badContours: Count,
    nearBadEdges: Count,
    planarHoles: Count,
  }),
  qualityParams: Type.Object({
    noiseShells: Count,
    overlappingTriangles: Count,
    intersectingTriangles: Count,
    isFacetingScoreOk: Type.Boolean(),
  }),
};

const Analysis = Type.Object(ANALYSIS);
const Warning = closed({ code: Type.String(), message: Type.String() });

const Report = Type.Object({
  before: Analysis,
  after: Analysis,
  steps: Type.Array(Type.Object({ name: Type.String(), changed: Count })),
  places: Type.Array(
    Type.Object({ defect: Type.String(), x: Measure, y: Measure, z: Measure, sizeMm: Type.Number({ minimum: 0 }) }),
  ),
  filledAreaMm2: Measure,
  volumeChangeMm3: Measure,
  areaChangeMm2: Measure,
  maxDisplacementMm: Measure,
  innerShells: Type.Optional(
    Type.Array(
      Type.Object({
        outcome: Type.Union(['kept', 'void', 'merged'].map((outcome) => Type.Literal(outcome))),
        x: Measure,
        y: Measure,
        z: Measure,
        sizeMm: Type.Number({ minimum: 0 }),
        volumeMm3: Type.Number({ minimum: 0 }),
      }),
    ),
  ),
  warnings: Type.Array(Warning),
  verdict: Verdict,
});

const Format = closed({
  id: Type.String(),
  extensions: Type.Array(Type.String()),
  mediaType: Type.String(),
  canImport: Type.Boolean(),
  canExport: Type.Boolean(),
  hasUnits: Type.Boolean(),
  isCurved: Type.Optional(Type.Boolean({ description: 'an import accepts accuracyMm and maxAngle' })),
  needsPackage: Type.Optional(Type.String({ description: 'the optional package that reads it' })),
});

/** The name of a reply in `/openapi.json` → its schema. */
export const REPLIES = {
  Token: closed({
    access_token: Type.String(),
    token_type: Type.Literal('bearer'),
    expires_in: Type.Integer({ description: 'seconds' }),
    refresh_token: Type.String({ description: 'can be used once' }),
    userName: Type.String(),
    'as:client_id': Type.String(),
    '.issued': Type.String({ description: 'HTTP-date' }),
    '.expires': Type.String({ description: 'HTTP-date' }),
  }),
  TokenProblem: closed({
    error: Type.Union(
      ['invalid_request', 'invalid_client', 'invalid_grant', 'unsupported_grant_type'].map((code) =>
        Type.Literal(code),
      ),
    ),
    error_description: Type.Optional(Type.String()),
  }),
  Problem: closed({
    errors: Type.Array(ProblemEntry, { minItems: 1 }),
    message: Type.Optional(Type.String()),
  }),
  UploadedFile: closed({ fileId: Id, creationDate: Time, fileUrl: Type.String({ format: 'uri' }) }),
  OperationHandle: closed({ operationId: Id }),
  OperationStatus: closed({
    operationId: Id,
    isCompleted: Type.Boolean(),
    isSuccessful: Type.Boolean(),
    operation: Type.String(),
    progress: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
    createdAt: Time,
    startedAt: Type.Optional(Time),
    finishedAt: Type.Optional(Time),
    error: Type.Optional(ProblemEntry),
    report: Type.Optional(Report),
  }),
  ModelResult: closed({ operationId: Id, resultId: Id, report: Type.Optional(Report) }),
  FileResult: closed({ operationId: Id, fileId: Id }),
  WallsResult: closed({
    operationId: Id,
    fileId: Id,
    hasThinWalls: Type.Boolean(),
    hasPossibleThinWalls: Type.Boolean(),
  }),
  AnalysisResult: Type.Object({ operationId: Id, ...ANALYSIS, verdict: Verdict }),
  Health: closed({ status: Type.Literal('ok'), instanceId: Id }),
  Formats: closed({
    import: Type.Array(Format),
    export: Type.Array(Format),
    measurementUnits: Type.Array(Type.String()),
    operations: Type.Array(Type.String(), { description: 'the supported operations' }),
    limits: closed({ uploadBytes: Count }),
  }),
};

/** The name of a reply in `/openapi.json`. */
export type ReplyName = keyof typeof REPLIES;
