import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { RawReply } from './raw-http.js';

interface SchemaReference {
  $ref?: string;
}

interface Operation {
  responses: Record<string, { content?: Record<string, { schema?: SchemaReference }> }>;
}

/** The parts of an OpenAPI document that are used here. */
export interface OpenApi {
  paths: Record<string, Record<string, Operation>>;
}

/** Returns whether a path matches a path template, ignoring case. */
function matchesTemplate(template: string, path: string): boolean {
  return new RegExp(`^${template.replace(/[.]/g, '\\.').replace(/\{\w+\}/g, '[^/]+')}$`, 'i').test(path);
}

/** Returns a copy of a JSON Schema in which objects accept no fields but those described. */
function closeObjects(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closeObjects);
  if (typeof schema !== 'object' || schema === null) return schema;
  const closed = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, closeObjects(value)]));
  return 'properties' in closed ? { additionalProperties: false, ...closed } : closed;
}

/**
 * Creates a function that validates a reply against `/openapi.json`. It returns the error, or `undefined` if the status
 * is described and a JSON body is valid. The document is open for later fields, but a reply with a field that it does not
 * describe is invalid here.
 */
export function createDescription(document: OpenApi) {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats.default(ajv);
  ajv.addSchema(Object(closeObjects(document)), 'openapi.json');

  return (method: string, url: string, { status, headers, body }: RawReply): string | undefined => {
    const path = url.split('?')[0] ?? '';
    const template = Object.keys(document.paths).find((candidate) => matchesTemplate(candidate, path));
    const operation = template && document.paths[template]?.[method.toLowerCase()];
    const reply = `${method} ${template ?? path} ${status}`;
    // An endpoint that is not described must reply with 404.
    const content = operation ? operation.responses[status]?.content : undefined;
    if (operation ? !operation.responses[status] : status !== 404) return `${reply} is not described`;
    if (!headers.get('content-type')?.startsWith('application/json')) return undefined;
    const schema = operation ? content?.['application/json']?.schema : { $ref: '#/components/schemas/Problem' };
    if (!schema) return content?.['*/*'] ? undefined : `${reply} has no JSON schema`;
    const isValid = ajv.compile(schema.$ref ? { $ref: `openapi.json${schema.$ref}` } : schema);
    return isValid(JSON.parse(body)) ? undefined : `${reply}: ${ajv.errorsText(isValid.errors)}`;
  };
}

/** Validates a reply to a request with this method and URL. */
export type Description = ReturnType<typeof createDescription>;
