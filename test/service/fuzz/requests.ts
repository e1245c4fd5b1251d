import { randomUUID } from 'node:crypto';
import fc from 'fast-check';

/** Valid credentials and ids, with which a request passes the first checks. */
export interface ValidValues {
  token: string;
  basic: string;
  fileId: string;
  operationId: string;
}

const BOUNDARY = 'fuzz-boundary';

function concat(...parts: (string | Uint8Array)[]): Buffer {
  return Buffer.concat(parts.map((part) => Buffer.from(part)));
}

/** Creates a request with `Connection: close` and the length of its body. */
function request(line: string, headers: string[], body: Uint8Array): Buffer {
  const length = `Content-Length: ${body.length}`;
  return concat([line, 'Host: x', 'Connection: close', ...headers, length, '', ''].join('\r\n'), body);
}

// Without line breaks: those are part of the arbitrary bytes below.
const headerText = fc.string({ unit: 'grapheme', maxLength: 60 }).map((text) => text.replace(/[\r\n\0]/g, ''));

function segment({ fileId, operationId }: ValidValues) {
  return fc.oneof(
    fc.constantFrom(
      'web-api',
      'operation',
      'file',
      'import',
      'repair',
      'export',
      'analyze',
      'scale',
      'thumbnail',
      'preview',
      'status',
      'result',
      'Token',
      'healthz',
      'formats',
      'openapi.json',
      'metrics',
      '..',
      '',
      '%00',
      '%ff',
      '%2e%2e%2f',
      fileId,
      operationId,
      randomUUID(),
    ),
    fc.string({ maxLength: 20 }).map(encodeURIComponent),
  );
}

function json({ fileId }: ValidValues) {
  return fc.oneof(
    fc.json({ depthSize: 'small' }),
    fc
      .dictionary(
        fc.constantFrom('fileId', 'inputId', 'measurementUnits', 'exportToFormat', 'callbackUrl', 'axis', '__proto__'),
        fc.oneof(fc.constantFrom<unknown>(fileId, null, 'mm', 'stl', 'http://[', 'file:///etc/passwd'), fc.jsonValue()),
      )
      .map((body) => JSON.stringify(body)),
    fc.string(),
  );
}

/** Generates requests to existing and unknown endpoints, with valid and invalid tokens, types and bodies. */
export function anyRequest(valid: ValidValues): fc.Arbitrary<Buffer> {
  return fc
    .record({
      method: fc.constantFrom('GET', 'POST', 'HEAD', 'PUT', 'DELETE', 'OPTIONS', 'PATCH'),
      isApi: fc.boolean(),
      segments: fc.array(segment(valid), { maxLength: 4 }),
      query: fc.oneof(
        fc.constant(''),
        fc.webQueryParameters().map((text) => `?${text}`),
      ),
      authorization: fc.oneof(
        fc.constant(`Bearer ${valid.token}`),
        fc.constant(`Basic ${valid.basic}`),
        headerText.map((text) => `Bearer ${text}`),
      ),
      type: fc.oneof(fc.constant('application/json'), headerText),
      range: fc.oneof(fc.constant('bytes=0-9'), headerText),
      body: json(valid),
    })
    .map(({ method, isApi, segments, query, authorization, type, range, body }) => {
      const path = `${isApi ? '/web-api/operation/' : '/'}${segments.join('/')}`;
      const headers = [`Authorization: ${authorization}`, `Content-Type: ${type}`, `Range: ${range}`];
      return request(`${method} ${path}${query} HTTP/1.1`, headers, Buffer.from(body));
    });
}

/** Generates starts of operations with a valid token, which test the validation of the body. */
export function anyStart(valid: ValidValues): fc.Arbitrary<Buffer> {
  return fc
    .tuple(fc.constantFrom('import', 'repair', 'export', 'analyze', 'scale', 'thumbnail', 'hollowing'), json(valid))
    .map(([operation, body]) => {
      const headers = [`Authorization: Bearer ${valid.token}`, 'Content-Type: application/json'];
      return request(`POST /web-api/operation/${operation} HTTP/1.1`, headers, Buffer.from(body));
    });
}

/** Generates forms for the token endpoint. */
export function anyGrant({ basic }: ValidValues): fc.Arbitrary<Buffer> {
  return fc
    .tuple(
      fc.oneof(
        fc.constant(`Basic ${basic}`),
        fc.base64String().map((text) => `Basic ${text}`),
        headerText,
      ),
      fc.oneof(
        fc
          .array(fc.tuple(fc.constantFrom('grant_type', 'username', 'password', 'refresh_token', 'scope'), fc.string()))
          .map((fields) => new URLSearchParams(fields).toString()),
        fc.constantFrom('grant_type=refresh_token&refresh_token=%ff', 'grant_type=password', '&&&=', 'a=%'),
        fc.string(),
      ),
    )
    .map(([authorization, form]) =>
      request('POST /Token HTTP/1.1', [`Authorization: ${authorization}`], Buffer.from(form)),
    );
}

const disposition = fc.oneof(
  fc.constantFrom(
    'form-data; name="file"; filename="a.stl"',
    'form-data; fileName=a.stl',
    'attachment; filename=a.stl',
    "form-data; filename*=UTF-8''%ff.stl",
    'form-data; filename=""',
    'form-data; filename="../../a.stl"',
    'form-data; filename="a',
    'form-data; name="field"',
  ),
  headerText,
);

const part = fc
  .record({
    start: fc.constantFrom(
      `\r\n--${BOUNDARY}\r\n`,
      `\r\n--${BOUNDARY}\r\n`,
      `--${BOUNDARY}\n`,
      `--${BOUNDARY}--`,
      '--',
    ),
    disposition,
    more: fc.array(fc.oneof(fc.constant('Content-Type: model/stl'), headerText), { maxLength: 1 }),
    gap: fc.constantFrom('\r\n\r\n', '\r\n\r\n', '\r\n\r\n', '\r\n', '\n\n', ''),
    content: fc.uint8Array({ maxLength: 300 }),
  })
  .map(({ start, disposition: value, more, gap, content }) =>
    concat([`${start}Content-Disposition: ${value}`, ...more].join('\r\n'), gap, content),
  );

/** Generates uploads with slightly or completely invalid bodies. */
export function anyUpload({ token }: ValidValues): fc.Arbitrary<Buffer> {
  return fc
    .record({
      parts: fc.array(part, { maxLength: 3 }),
      end: fc.constantFrom(`\r\n--${BOUNDARY}--\r\n`, `\r\n--${BOUNDARY}--`, `\r\n--${BOUNDARY}`, '', '--\r\n'),
      type: fc.oneof(
        { weight: 5, arbitrary: fc.constant(`multipart/form-data; boundary=${BOUNDARY}`) },
        fc.constantFrom('multipart/form-data', 'multipart/form-data; boundary=', 'multipart/form-data; boundary="'),
        headerText.map((text) => `multipart/form-data; boundary=${text}`),
      ),
    })
    .map(({ parts, end, type }) => {
      const headers = [`Authorization: Bearer ${token}`, `Content-Type: ${type}`];
      return request('POST /web-api/operation/file HTTP/1.1', headers, concat(...parts, end));
    });
}

/** Generates bytes that are invalid or incomplete HTTP. */
export function anyBytes(valid: ValidValues): fc.Arbitrary<Buffer> {
  return fc.oneof(
    fc.uint8Array({ minLength: 1, maxLength: 200 }).map((bytes) => concat(bytes, '\r\n\r\n')),
    fc
      .tuple(anyUpload(valid), fc.nat({ max: 500 }))
      .map(([bytes, cut]) => bytes.subarray(0, Math.max(1, bytes.length - cut))),
    fc.tuple(anyStart(valid), fc.nat(400), fc.uint8Array({ maxLength: 8 })).map(([bytes, offset, wrong]) => {
      const start = offset % bytes.length;
      return concat(bytes.subarray(0, start), wrong, bytes.subarray(start + wrong.length));
    }),
  );
}
