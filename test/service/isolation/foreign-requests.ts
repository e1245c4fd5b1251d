import { OPERATION_KINDS } from '../../../src/service/operations/kinds.js';
import type { Parameter } from '../../../src/service/operations/parameters.js';

interface Schema {
  type?: string | string[];
  format?: string;
  properties?: Record<string, Schema>;
}

interface Operation {
  operationId: string;
  security?: object[];
  parameters?: { name: string; in: string; schema: Schema }[];
  requestBody?: { content: Record<string, { schema: Schema }> };
}

/** The parts of an OpenAPI document that are used here. */
export interface RouteDescription {
  paths: Record<string, Record<string, Operation>>;
}

/** A place of a request that names something: an id, a list cursor or an idempotency key. */
export interface Slot {
  in: 'path' | 'query' | 'body' | 'header';
  name: string;
}

/** A route that needs a token. */
export interface Route {
  method: string;
  /** With `{name}` for each path parameter. */
  path: string;
  operationId: string;
  slots: Slot[];
  isUpload: boolean;
}

function isText({ type }: Schema): boolean {
  return [type].flat().includes('string');
}

function findSlots(path: string, { parameters = [], requestBody }: Operation): Slot[] {
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']): Slot => ({ in: 'path', name }));
  const places = ['query', 'header'] as const;
  const others = places.flatMap((place) =>
    parameters
      .filter((parameter) => parameter.in === place && isText(parameter.schema))
      .map(({ name }): Slot => ({ in: place, name })),
  );
  const properties = Object.entries(requestBody?.content['application/json']?.schema.properties ?? {});
  const inBody = properties.filter(([, { format }]) => format === 'uuid').map(([name]): Slot => ({ in: 'body', name }));
  return [...inPath, ...others, ...inBody];
}

/** Returns all routes of a description that need a token, also HEAD for each GET. */
export function listRoutes({ paths }: RouteDescription): Route[] {
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).flatMap(([method, operation]) => {
      if (operation.security?.some((entry) => 'bearer' in entry) !== true) return [];
      const isUpload = operation.requestBody?.content['multipart/form-data'] !== undefined;
      const route = { path, operationId: operation.operationId, slots: findSlots(path, operation), isUpload };
      return (method === 'get' ? ['GET', 'HEAD'] : [method.toUpperCase()]).map((verb) => ({ ...route, method: verb }));
    }),
  );
}

function chooseValue(parameter: Parameter): string | number | undefined {
  if ('values' in parameter) return parameter.values[0];
  if ('names' in parameter) return parameter.names[0];
  if ('maxLength' in parameter) return undefined; // no file is an archive
  return parameter.proposed ?? parameter.min ?? 1;
}

/** Returns valid parameters of a start besides the ids; none for other routes. */
function chooseParameters(operationId: string): object {
  const kind = OPERATION_KINDS.find(({ name }) => name === operationId);
  const entries = Object.entries<Parameter>(kind?.parameters ?? {});
  return Object.fromEntries(entries.map(([name, parameter]) => [name, chooseValue(parameter)]));
}

/** A value for a slot; slots without one are omitted. */
export type Filling = [slot: Slot, value: string];

/** Returns the method, the path and the options of a request with these values. */
export function createRequest(route: Route, fillings: Filling[], token: string) {
  const valuesOf = (place: Slot['in']): [string, string][] =>
    fillings.flatMap(([slot, value]) => (slot.in === place ? [[slot.name, value] as [string, string]] : []));
  const path = valuesOf('path').reduce((text, [name, value]) => text.replace(`{${name}}`, value), route.path);
  const query = new URLSearchParams(valuesOf('query')).toString();
  const headers = new Headers([['authorization', `Bearer ${token}`], ...valuesOf('header')]);
  const request: RequestInit = { method: route.method, headers };
  if (route.isUpload) {
    request.body = new FormData();
    request.body.append('file', new Blob(['solid c\nendsolid c\n']), 'c.stl');
  } else if (route.method === 'POST') {
    headers.set('content-type', 'application/json');
    const body = { ...chooseParameters(route.operationId), ...Object.fromEntries(valuesOf('body')) };
    request.body = JSON.stringify(body);
  }
  return { url: `${path}${query && `?${query}`}`, request };
}
