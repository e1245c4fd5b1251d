import { OPERATION_KINDS } from '../operations/kinds.js';
import type { OperationKind } from '../operations/operation-kind.js';
import { canOmit, describeParameter, type Parameter } from '../operations/parameters.js';
import { PRIORITY_FIELD } from '../operations/priority.js';
import { PROBLEMS } from '../problem-entries.js';
import { findResultSchemaName, REPLIES, type ReplyName } from './schemas.js';

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

const CALLBACK = {
  type: ['string', 'null'],
  description: 'http or https URL that gets a POST when the operation has completed',
};
const FILE = { type: 'string', format: 'uuid' };
const MODEL = { type: 'string', format: 'uuid', description: 'the `resultId` of an earlier operation' };

const startReplies = {
  200: json('queued', 'OperationHandle'),
  ...problems(401, 404, 410, 413, 422, 507),
};

const IDEMPOTENCY_KEY = {
  parameters: [
    {
      name: 'Idempotency-Key',
      in: 'header',
      required: false,
      schema: { type: 'string' },
      description:
        '1 to 255 visible ASCII characters, which may be in double quotes. A request that is repeated with its key within a day takes effect once, and gets the reply of the first one.',
    },
  ],
};

/** Whether some requests may omit the parameter: the schema does not say which. */
function canBeAbsent(parameter: Parameter): boolean {
  return canOmit(parameter) || parameter.replacedBy !== undefined;
}

/** Returns the types of the values of a parameter. */
function listTypes(parameter: Parameter): string[] {
  if (!('isInteger' in parameter)) return ['string'];
  const type = parameter.isInteger ? 'integer' : 'number';
  return parameter.word === undefined ? [type] : [type, 'string'];
}

function describeField(parameter: Parameter): Json {
  const types = listTypes(parameter);
  const defaultText = parameter.default === undefined ? undefined : `default ${parameter.default}`;
  const parts = [parameter.description, describeParameter(parameter), defaultText];
  return {
    type: canBeAbsent(parameter) ? [...types, 'null'] : types.length === 1 ? types[0] : types,
    description: parts.filter((part) => part !== undefined).join('; '),
  };
}

function start({ name, input, parameters }: OperationKind): Json {
  const inputField = input === 'file' ? { fileId: FILE } : { inputId: MODEL };
  const entries = Object.entries(parameters);
  const required = entries.filter(([, parameter]) => !canBeAbsent(parameter)).map(([field]) => field);
  const fields = Object.fromEntries(entries.map(([field, parameter]) => [field, describeField(parameter)]));
  const schema = {
    type: 'object',
    required: [...Object.keys(inputField), ...required],
    properties: { ...inputField, ...fields, priority: describeField(PRIORITY_FIELD), callbackUrl: CALLBACK },
  };
  return {
    post: {
      ...{ ...BEARER, ...IDEMPOTENCY_KEY },
      operationId: name,
      requestBody: { required: true, content: { 'application/json': { schema } } },
      responses: startReplies,
    },
  };
}

function get(operationId: string, responses: Json, more: Json = {}): Json {
  return { get: { operationId, responses, ...more } };
}

const ID = { parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string', format: 'uuid' } }] };

function result(kind: OperationKind): Json {
  const responses = { 200: json('result', findResultSchemaName(kind)), ...problems(401, 404, 409, 410, 422) };
  return get(`${kind.name}-result`, responses, { ...BEARER, ...ID });
}

const LIST = {
  parameters: [
    { name: 'limit', in: 'query', schema: { type: 'integer', minimum: 1, maximum: 1000, default: 100 } },
    { name: 'before', in: 'query', schema: { type: 'string' }, description: '`next` of an earlier part of the list' },
  ],
};

function list(operationId: string, name: ReplyName): Json {
  return get(operationId, { 200: json('one part of the list', name), ...problems(401) }, { ...BEARER, ...LIST });
}

const OPERATIONS: Json = {
  '/web-api/operation': list('list-operations', 'OperationList'),
  ...Object.fromEntries(OPERATION_KINDS.map((kind) => [`/web-api/operation/${kind.name}`, start(kind)])),
  '/web-api/operation/{id}/status': get(
    'status',
    { 200: json('status', 'OperationStatus'), ...problems(401, 404) },
    { ...BEARER, ...ID },
  ),
  ...Object.fromEntries(OPERATION_KINDS.map((kind) => [`/web-api/operation/{id}/${kind.name}/result`, result(kind)])),
  '/web-api/operation/{id}': {
    delete: {
      ...BEARER,
      ...ID,
      operationId: 'cancel',
      description: 'Completes a queued or running operation as cancelled. One that has completed stays as it is.',
      responses: { 200: json('status', 'OperationStatus'), ...problems(401, 404, 507) },
    },
  },
};

function form(schema: Json, type: string): Json {
  return { required: true, content: { [type]: { schema } } };
}

const text = { type: 'string' };

function bytes(description: string): Json {
  const digest = { description: 'SHA-256 of the whole file (RFC 9530)', schema: text };
  return { description, headers: { 'Repr-Digest': digest }, content: { '*/*': {} } };
}

const FILES: Json = {
  '/web-api/operation/file': {
    ...list('list-files', 'FileList'),
    post: {
      ...{ ...BEARER, ...IDEMPOTENCY_KEY },
      operationId: 'upload',
      description:
        'One file with a filename, whose extension determines the format. Content-Length is required. A Repr-Digest or Content-Digest header of the part (RFC 9530) is checked.',
      requestBody: form(
        { type: 'object', properties: { file: { type: 'string', format: 'binary' } } },
        'multipart/form-data',
      ),
      responses: { 200: json('stored', 'UploadedFile'), ...problems(401, 410, 411, 413, 415, 422, 507) },
    },
  },
  '/web-api/operation/file/{id}': {
    ...get(
      'download',
      {
        200: bytes('the file'),
        206: bytes('the requested range'),
        304: { description: 'not modified' },
        ...problems(401, 404, 410, 416),
      },
      { ...BEARER, ...ID },
    ),
    delete: {
      ...BEARER,
      ...ID,
      operationId: 'delete',
      description: 'Deletes a file or a model, and cancels the unfinished operations whose input it is.',
      responses: { 200: json('deleted', 'DeletedFile'), ...problems(401, 404, 410, 507) },
    },
  },
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
  '/Revoke': {
    post: {
      security: [{ basic: [] }],
      operationId: 'revoke',
      requestBody: form(
        { type: 'object', required: ['token'], properties: { token: text, token_type_hint: text } },
        'application/x-www-form-urlencoded',
      ),
      responses: {
        ...problems(413),
        200: { description: 'the token is revoked, or unknown (RFC 7009)', content: { 'application/json': {} } },
        400: json('the token was issued to another client', 'TokenProblem'),
        401: json('unknown client id or wrong secret', 'TokenProblem'),
      },
    },
  },
};

const SERVICE: Json = {
  '/healthz': get('health', { 200: json('the service is running', 'Health'), ...problems() }),
  '/readyz': get('readiness', { 200: json('ready', 'Health'), 507: json('disk full', 'FullDisk'), ...problems() }),
  '/formats': get('formats', {
    200: json('formats, units, operations, features and limits', 'Formats'),
    ...problems(),
  }),
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
