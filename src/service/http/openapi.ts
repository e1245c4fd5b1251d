import { UNIT_IN_MM } from '../../mesh/core/units.js';
import { FORMATS } from '../../mesh/formats/format-table.js';
import { EXTENDED_KINDS } from '../operations/extended-kinds.js';
import { INNER_SHELL_RULES, type OperationKind } from '../operations/kinds.js';
import { describeParameter, MESHING_PARAMETERS, type Parameters } from '../operations/parameters.js';
import { PROBLEMS } from './problems.js';
import { REPLIES, type ReplyName } from './schemas.js';

type Json = Record<string, unknown>;

function ref(name: ReplyName): Json {
  return { $ref: `#/components/schemas/${name}` };
}

function json(description: string, name: ReplyName): Json {
  return {
    description,
    content: { 'application/json': { schema: ref(name) } },
  };
}

/** The integer codes that go with a status, for its description. */
function codesOf(status: number): string {
  return Object.values(PROBLEMS)
    .filter(([one]) => one === status)
    .map(([, number]) => status * 100 + number)
    .join(', ');
}

// What any request may be answered with, whatever it asks for.
const COMMON_STATUSES = [400, 408, 429, 431, 500, 503];

function problems(...statuses: number[]): Json {
  return Object.fromEntries(
    [...COMMON_STATUSES, ...statuses].map((status) => [
      status,
      json(`errors[].code is one of ${codesOf(status)}`, 'Problem'),
    ]),
  );
}

const BEARER = { security: [{ bearer: [] }] };
function nullable(more: Json): Json {
  return { type: ['string', 'null'], ...more };
}
const CALLBACK = nullable({ description: 'http or https: gets a POST when the operation is completed' });
const MODEL = { type: 'string', format: 'uuid', description: 'the resultId of an earlier operation' };

function start(operation: string, required: string[], properties: Json, replies: Json): Json {
  return {
    post: {
      ...BEARER,
      operationId: operation,
      requestBody: {
        required: true,
        content: {
          'application/json': {
            schema: { type: 'object', required, properties: { ...properties, callbackUrl: CALLBACK } },
          },
        },
      },
      responses: replies,
    },
  };
}

const startReplies = {
  200: json('queued', 'OperationHandle'),
  ...problems(401, 404, 410, 413, 507),
};

/** The start of an operation by the table of its parameters. */
function startBy(name: string, parameters: Parameters, replies: Json): Json {
  const described = Object.entries(parameters).map(([parameter, what]) => {
    const type = 'values' in what ? 'string' : what.isInteger ? 'integer' : 'number';
    const isOptional = what.default !== undefined;
    const description = `${describeParameter(what)}${isOptional ? `; default ${what.default}` : ''}`;
    return [parameter, { type: isOptional ? [type, 'null'] : type, description }] as const;
  });
  const required = Object.entries(parameters).filter(([, what]) => what.default === undefined);
  const properties = { inputId: MODEL, ...Object.fromEntries(described) };
  return start(name, ['inputId', ...required.map(([parameter]) => parameter)], properties, replies);
}

function get(operationId: string, responses: Json, more: Json = {}): Json {
  return {
    get: { operationId, responses, ...more },
  };
}

const ID = { parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string', format: 'uuid' } }] };

function result(operation: string, name: ReplyName): Json {
  return get(
    `${operation}-result`,
    { 200: json('done', name), ...problems(401, 404, 409, 410, 422) },
    { ...BEARER, ...ID },
  );
}

function replyOf({ name, output }: OperationKind): ReplyName {
  if (output === 'model') return 'ModelResult';
  return name === 'wall-thickness-analysis' ? 'WallsResult' : 'FileResult';
}

function listed(names: readonly string[]): string {
  return `without regard to case, one of ${names.join(', ')}`;
}

const OPERATIONS: Json = {
  '/web-api/operation/import': start(
    'import',
    ['fileId'],
    {
      fileId: { type: 'string', format: 'uuid' },
      measurementUnits: nullable({ description: `default mm; ${listed(Object.keys(UNIT_IN_MM))}` }),
      accuracyMm: {
        type: ['number', 'null'],
        description: `of files with curved surfaces, how far triangles may be from them; default a thousandth of the size; ${describeParameter(MESHING_PARAMETERS.accuracyMm)}`,
      },
      maxAngle: {
        type: ['number', 'null'],
        description: `of files with curved surfaces, degrees between neighbouring triangles; default 20; ${describeParameter(MESHING_PARAMETERS.maxAngle)}`,
      },
    },
    startReplies,
  ),
  '/web-api/operation/repair': start(
    'repair',
    ['inputId'],
    {
      inputId: MODEL,
      innerShells: nullable({
        description: `what becomes of closed shells inside others; default auto; ${listed(INNER_SHELL_RULES)}`,
      }),
    },
    startReplies,
  ),
  '/web-api/operation/analyze': start('analyze', ['inputId'], { inputId: MODEL }, startReplies),
  '/web-api/operation/export': start(
    'export',
    ['inputId', 'exportToFormat'],
    {
      inputId: MODEL,
      exportToFormat: {
        type: 'string',
        description: listed(FORMATS.filter(({ canExport }) => canExport).map(({ id }) => id)),
      },
    },
    startReplies,
  ),
  ...Object.fromEntries(
    EXTENDED_KINDS.map(({ name, parameters = {} }) => [
      `/web-api/operation/${name}`,
      startBy(name, parameters, startReplies),
    ]),
  ),
  '/web-api/operation/{id}/status': get(
    'status',
    { 200: json('where it stands', 'OperationStatus'), ...problems(401, 404) },
    { ...BEARER, ...ID },
  ),
  '/web-api/operation/{id}/import/result': result('import', 'ModelResult'),
  '/web-api/operation/{id}/repair/result': result('repair', 'ModelResult'),
  '/web-api/operation/{id}/analyze/result': result('analyze', 'AnalysisResult'),
  '/web-api/operation/{id}/export/result': result('export', 'FileResult'),
  ...Object.fromEntries(
    EXTENDED_KINDS.map((kind) => [`/web-api/operation/{id}/${kind.name}/result`, result(kind.name, replyOf(kind))]),
  ),
};

function form(schema: Json, type: string): Json {
  return { required: true, content: { [type]: { schema } } };
}
const text = { type: 'string' };
function bytes(description: string): Json {
  return { description, content: { '*/*': {} } };
}

const FILES: Json = {
  '/web-api/operation/file': {
    post: {
      ...BEARER,
      operationId: 'upload',
      description: 'One file with a filename, whose extension tells the format. Content-Length is required.',
      requestBody: form(
        { type: 'object', properties: { file: { type: 'string', format: 'binary' } } },
        'multipart/form-data',
      ),
      responses: { 200: json('kept', 'UploadedFile'), ...problems(401, 411, 413, 415, 507) },
    },
  },
  '/web-api/operation/file/{id}': get(
    'download',
    {
      200: bytes('the file'),
      206: bytes('the range that was asked for'),
      304: { description: 'known by its ETag' },
      ...problems(401, 404, 410, 416),
    },
    { ...BEARER, ...ID },
  ),
};

const TOKEN: Json = {
  '/Token': {
    post: {
      security: [{ basic: [] }],
      operationId: 'token',
      requestBody: form(
        {
          type: 'object',
          required: ['grant_type'],
          properties: { grant_type: text, username: text, password: text, refresh_token: text },
        },
        'application/x-www-form-urlencoded',
      ),
      responses: {
        ...problems(413),
        200: json('a new pair', 'Token'),
        400: json('RFC 6749, section 5.2', 'TokenProblem'),
        401: json('the client is wrong', 'TokenProblem'),
        429: json('too many failed attempts: see Retry-After', 'TokenProblem'),
      },
    },
  },
};

const SERVICE: Json = {
  '/healthz': get('health', { 200: json('it runs', 'Health'), ...problems() }),
  '/readyz': get('readiness', { 200: json('it can take work', 'Health'), ...problems() }),
  '/formats': get('formats', { 200: json('what it can do', 'Formats'), ...problems() }),
  '/metrics': get('metrics', {
    200: { description: 'for Prometheus; to programs on this machine only', content: { 'text/plain': {} } },
    ...problems(404),
  }),
  '/openapi.json': get('description', {
    200: { description: 'this', content: { 'application/json': { schema: { type: 'object' } } } },
    ...problems(),
  }),
};

/** The description of every route, reply and error of this service (OpenAPI 3.1). Paths match without regard to case. */
export const OPEN_API: Json = {
  openapi: '3.1.0',
  info: { title: 'Model Processing Service', version: '1' },
  paths: { ...TOKEN, ...FILES, ...OPERATIONS, ...SERVICE },
  components: {
    schemas: REPLIES,
    securitySchemes: { bearer: { type: 'http', scheme: 'bearer' }, basic: { type: 'http', scheme: 'basic' } },
  },
};
