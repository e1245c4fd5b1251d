import type { ClientLimits } from '../client-limits.js';
import { type Fields, readFields, readOptional, readText } from '../replies/read-fields.js';
import { readFileRecord, readOperationRecord } from '../replies/read-records.js';
import { parseReplyJson, readReplyText } from '../replies/reply-body.js';
import { AttemptFailure } from '../transport/attempt-failure.js';
import type { ListRecords } from '../types.js';
import { controlTimeouts } from './operations.js';
import type { CallSpec } from './session.js';

/** One page of a list. `next`: the value for `before` of the next page; `undefined` on the last one. */
export interface ListPage<T> {
  records: T[];
  next: string | undefined;
}

const PATHS = { operations: '/web-api/operation', files: '/web-api/operation/file' } as const;
const READERS: { [K in keyof ListRecords]: (fields: Fields) => ListRecords[K] } = {
  operations: readOperationRecord,
  files: readFileRecord,
};

const MAX_PAGE_SIZE = 1000;

/** Throws a `TypeError` unless `kind` is a list, and `pageSize`, if given, an integer from 1 to 1000. */
export function assertListOptions(kind: string, pageSize: number | undefined): void {
  if (!Object.hasOwn(PATHS, kind)) throw new TypeError(`Invalid list "${kind}": expected operations or files.`);
  if (pageSize === undefined || (Number.isInteger(pageSize) && pageSize >= 1 && pageSize <= MAX_PAGE_SIZE)) return;
  throw new TypeError(`Invalid pageSize ${pageSize}: expected an integer from 1 to ${MAX_PAGE_SIZE}.`);
}

/** Returns the call that reads the page of a list after the entry `before`, or the first page, newest entries first. */
export function createListSpec<K extends keyof ListRecords>(
  kind: K,
  page: { before?: string | undefined; pageSize?: number | undefined },
  limits: ClientLimits,
): CallSpec<ListPage<ListRecords[K]>> {
  const { before, pageSize } = page;
  const query = new URLSearchParams({
    ...(pageSize !== undefined && { limit: String(pageSize) }),
    ...(before !== undefined && { before }),
  });
  return {
    action: `list the ${kind}`,
    method: 'GET',
    path: query.size === 0 ? PATHS[kind] : `${PATHS[kind]}?${query}`,
    ...controlTimeouts(limits),
    isIdempotent: true,
    prepare: () => Promise.resolve({ headers: { Accept: 'application/json' } }),
    read: async (reply) => {
      const fields = readFields(parseReplyJson(await readReplyText(reply, limits.maxReplyBytes)));
      const entries = fields[kind];
      if (!Array.isArray(entries))
        throw new AttemptFailure('garbled', 'BAD_REPLY', `invalid field "${kind}" in the reply: expected a list`);
      const next = readOptional(fields, 'next', readText);
      // Otherwise a faulty service could make the list endless.
      if (next !== undefined && (next === before || entries.length === 0))
        throw new AttemptFailure('garbled', 'BAD_REPLY', 'invalid field "next" in the reply: it repeats the page');
      return { records: entries.map((entry) => READERS[kind](readFields(entry))), next };
    },
  };
}
