import type { FastifyInstance } from 'fastify';
import { ServiceError } from '../service-error.js';
import type { ListedFile, ListPosition, Lists } from '../store/lists.js';
import { formatCreationDate } from './creation-date.js';
import { toOperationRecord } from './operation-records.js';

/** The dependencies of the lists. */
export interface ListRouteDependencies {
  lists: Lists;
}

/** The parameters of a list as text, an array if one is repeated. */
interface ListQuery {
  limit?: string | string[];
  before?: string | string[];
}

const DEFAULT_LIMIT = 100;
const MAX_LIMIT = 1000;

// The creation time is part of the position, so that it stays valid when the row of its entry is gone.
const POSITION = /^(\d{1,15})-([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

function formatPosition({ created_at, id }: { created_at: number; id: string }): string {
  return `${created_at}-${id}`;
}

function readLimit(text: ListQuery['limit']): number {
  if (text === undefined) return DEFAULT_LIMIT;
  const limit = typeof text === 'string' && /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (limit >= 1 && limit <= MAX_LIMIT) return limit;
  throw new ServiceError('FIELD_INVALID', `Invalid limit: expected an integer from 1 to ${MAX_LIMIT}.`);
}

function readPosition(text: ListQuery['before']): ListPosition | undefined {
  if (text === undefined) return undefined;
  const [, createdAt, id] = (typeof text === 'string' && POSITION.exec(text.toLowerCase())) || [];
  if (createdAt !== undefined && id !== undefined) return { createdAt: Number(createdAt), id };
  throw new ServiceError('FIELD_INVALID', 'Invalid before: expected `next` of an earlier part of the list.');
}

function toFileRecord({ id, kind, filename, size, created_at, sha256 }: ListedFile) {
  return {
    [kind === 'file' ? 'fileId' : 'resultId']: id,
    kind,
    filename,
    size,
    creationDate: formatCreationDate(created_at),
    ...(sha256 !== null && { sha256 }),
  };
}

/** Registers `GET /web-api/operation` and `GET /web-api/operation/file`. */
export function registerListRoutes(app: FastifyInstance, { lists }: ListRouteDependencies): void {
  /** Reads one row more than requested, to know whether there are more. */
  const readPart = async <Row extends { created_at: number; id: string }>(
    read: (owner: string, limit: number, before?: ListPosition) => Promise<Row[]>,
    owner: string,
    query: ListQuery,
  ): Promise<{ rows: Row[]; next?: string }> => {
    const limit = readLimit(query.limit);
    const found = await read(owner, limit + 1, readPosition(query.before));
    const rows = found.slice(0, limit);
    const last = rows.at(-1);
    return { rows, ...(last && found.length > limit && { next: formatPosition(last) }) };
  };

  app.get<{ Querystring: ListQuery }>('/web-api/operation', async ({ userId, query }) => {
    const { rows, ...more } = await readPart(lists.operations, userId, query);
    return { operations: rows.map(toOperationRecord), ...more };
  });

  app.get<{ Querystring: ListQuery }>('/web-api/operation/file', async ({ userId, query }) => {
    const { rows, ...more } = await readPart(lists.files, userId, query);
    return { files: rows.map(toFileRecord), ...more };
  });
}
