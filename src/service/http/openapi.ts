import { UNIT_IN_MM } from '../../mesh/core/units.js';
import { FORMATS } from '../../mesh/formats/format-table.js';
import { EXTENDED_KINDS } from '../operations/extended-kinds.js';
import { INNER_SHELL_RULES } from '../operations/kinds.js';
import type { OperationKind } from '../operations/operation-kind.js';
import { describeParameter, MESHING_PARAMETERS, type Parameters } from '../operations/parameters.js';
import { PROBLEMS } from '../problem-entries.js';
import { REPLIES, type ReplyName } from './schemas.js';

type Json = Record<string, unknown>;

function json(description: string, name: ReplyName): Json {
  return {
    description,
    content: { 'application/json': { schema: { $ref: `#/components/schemas/${name}` } } },
  };
}

/** Returns the integer codes of an HTTP status as a list, for its description. */
function listCodes(status: number): string {
  return Object.values(PROBLEMS)
    .filter(([one]) => one === status)
    .map(([, number]) => status * 100 + number)
    .join(', ');
}

// Statuses that any request may get.
const COMMON_STATUSES = [400, 408, 429, 431, 500, 503];

function problems(...statuses: number[]): Json {
  const describe = (status: number): Json => json(`errors[].code is one of ${listCodes(status)}`, 'Problem');
  return Object.fromEntries([...COMMON_STATUSES, ...statuses].map((status) => [status, describe(status)]));
}

const BEARER = { security: [{ bearer: [] }] };

function nullable(more: Json): Json {
  return { type: ['string', 'null'], ...more };
}

const CALLBACK = nullable({ description: 'http or https URL that gets a POST when the operation has completed' });
const MODEL = { type: 'string', format: 'uuid', description: 'the `resultId` of an earlier operation' };

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

/** Describes the start of an operation from its parameter table. */
function startFromTable(name: string, parameters: Parameters, replies: Json): Json {
  const entries = Object.entries(parameters).map(([field, parameter]) => {
    const type = 'values' in parameter ? 'string' : parameter.isInteger ? 'integer' : 'number';
    const isOptional = parameter.default !== undefined;
    const description = `${describeParameter(parameter)}${isOptional ? `; default ${parameter.default}` : ''}`;
    return [field, { type: isOptional ? [type, 'null'] : type, description }] as const;
  });
  const required = Object.entries(parameters).filter(([, parameter]) => parameter.default === undefined);
  const properties = { inputId: MODEL, ...Object.fromEntries(entries) };
  return start(name, ['inputId', ...required.map(([field]) => field)], properties, replies);
}

function get(operationId: string, responses: Json, more: Json = {}): Json {
  return { get: { operationId, responses, ...more } };
}

const ID = { parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string', format: 'uuid' } }] };

function result(operation: string, name: ReplyName): Json {
  const responses = { 200: json('result', name), ...problems(401, 404, 409, 410, 422) };
  return get(`${operation}-result`, responses, { ...BEARER, ...ID });
}

function findReplyName({ name, output }: OperationKind): ReplyName {
  if (output === 'model') return 'ModelResult';
  return name === 'wall-thickness-analysis' ? 'WallsResult' : 'FileResult';
}

function describeChoice(names: readonly string[]): string {
  return `case-insensitive, one of ${names.join(', ')}`;
}

const OPERATIONS: Json = {
  '/web-api/operation/import': start(
    'import',
    ['fileId'],
    {
      fileId: { type: 'string', format: 'uuid' },
      measurementUnits: nullable({ description: `default mm; ${describeChoice(Object.keys(UNIT_IN_MM))}` }),
      accuracyMm: {
        type: ['number', 'null'],
        description: `for files with curved surfaces: max distance between triangles and surface; default 1/1000 of the model size; ${describeParameter(MESHING_PARAMETERS.accuracyMm)}`,
      },
      maxAngle: {
        type: ['number', 'null'],
        description: `for files with curved surfaces: max angle between adjacent triangles in degrees; default 20; ${describeParameter(MESHING_PARAMETERS.maxAngle)}`,
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
        description: `how to treat closed shells inside others; default auto; ${describeChoice(INNER_SHELL_RULES)}`,
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
        description: describeChoice(FORMATS.filter(({ canExport }) => canExport).map(({ id }) => id)),
      },
    },
    startReplies,
  ),
  ...Object.fromEntries(
    EXTENDED_KINDS.map(({ name, parameters = {} }) => [
      `/web-api/operation/${name}`,
      startFromTable(name, parameters, startReplies),
    ]),
  ),
  '/web-api/operation/{id}/status': get(
    'status',
    { 200: json('status', 'OperationStatus'), ...problems(401, 404) },
    { ...BEARER, ...ID },
  ),
  '/web-api/operation/{id}/import/result': result('import', 'ModelResult'),
  '/web-api/operation/{id}/repair/result': result('repair', 'ModelResult'),
  '/web-api/operation/{id}/analyze/result': result('analyze', 'AnalysisResult'),
  '/web-api/operation/{id}/export/result': result('export', 'FileResult'),
  ...Object.fromEntries(
    EXTENDED_KINDS.map((kind) => [
      `/web-api/operation/{id}/${kind.name}/result`,
      result(kind.name, findReplyName(kind)),
    ]),
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
      description: 'One file with a filename, whose extension determines the format. Content-Length is required.',
      requestBody: form(
        { type: 'object', properties: { file: { type: 'string', format: 'binary' } } },
        'multipart/form-data',
      ),
      responses: { 200: json('stored', 'UploadedFile'), ...problems(401, 411, 413, 415, 507) },
    },
  },
  '/web-api/operation/file/{id}': get(
    'download',
    {
      200: bytes('the file'),
      206: bytes('the requested range'),
      304: { description: 'not modified' },
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
        200: json('a new access token and refresh token', 'Token'),
        400: json('RFC 6749, section 5.2', 'TokenProblem'),
        401: json('unknown client id or wrong secret', 'TokenProblem'),
        429: json('too many failed attempts: see Retry-After', 'TokenProblem'),
      },
    },
  },
};

const SERVICE: Json = {
  '/healthz': get('health', { 200: json('the service is running', 'Health'), ...problems() }),
  '/readyz': get('readiness', { 200: json('the service accepts operations', 'Health'), ...problems() }),
  '/formats': get('formats', { 200: json('formats, units, operations and limits', 'Formats'), ...problems() }),
  '/metrics': get('metrics', {
    200: {
      description: 'metrics in the Prometheus text format; only for programs on this machine',
      content: { 'text/plain': {} },
    },
    ...problems(404),
  }),
  '/openapi.json': get('description', {
    200: { description: 'this document', content: { 'application/json': { schema: { type: 'object' } } } },
    ...problems(),
  }),
};

/** The OpenAPI 3.1 description of every route, reply and error of this service. Paths are case-insensitive. */
export const OPEN_API: Json = {
  openapi: '3.1.0',
  info: { title: 'Model Processing Service', version: '1' },
  paths: { ...TOKEN, ...FILES, ...OPERATIONS, ...SERVICE },
  components: {
    schemas: REPLIES,
    securitySchemes: { bearer: { type: 'http', scheme: 'bearer' }, basic: { type: 'http', scheme: 'basic' } },
  },
};
