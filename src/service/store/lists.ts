import { sql } from 'kysely';
import type { VerdictSummary } from '../../api/index.js';
import type { Store } from './database.js';
import { dialectOf } from './dialect.js';
import { SHORT_STATUS_COLUMNS } from './operations.js';
import type { FileRow, OperationRow } from './schema.js';

/** A place in a list: entries are ordered by their creation, then by their id, newest first. */
export interface ListPosition {
  createdAt: number;
  id: string;
}

/** The place after all entries, which a list starts before. */
const END: ListPosition = { createdAt: Number.MAX_SAFE_INTEGER, id: '' };

const OPERATION_COLUMNS = [...SHORT_STATUS_COLUMNS, 'input_id', 'output_id', 'filename', 'parameters'] as const;

const FILE_COLUMNS = ['id', 'kind', 'filename', 'size', 'created_at', 'sha256'] as const;

/** The columns of an operation in a list. Without its report, which can be long. */
export type ListedOperation = Pick<OperationRow, (typeof OPERATION_COLUMNS)[number]>;

const REPORTED_COLUMNS = [...OPERATION_COLUMNS, 'owner', 'report'] as const;

/** The columns of an operation in a list, with its owner and its report. */
export type ReportedOperation = Pick<OperationRow, (typeof REPORTED_COLUMNS)[number]>;

/** The columns of a file or model in a list. */
export type ListedFile = Pick<FileRow, (typeof FILE_COLUMNS)[number]>;

/**
 * Creates the queries for the lists of what a user has. Each resolves with up to `limit` rows before a position, newest
 * first, by an index that has this order.
 */
export function createLists(store: Store) {
  const isBefore = ({ createdAt, id }: ListPosition) => sql<boolean>`(created_at, id) < (${createdAt}, ${id})`;
  return {
    operations: (owner: string, limit: number, before = END): Promise<ListedOperation[]> =>
      store
        .selectFrom('operation')
        .select(OPERATION_COLUMNS)
        .where('owner', '=', owner)
        .where(isBefore(before))
        .orderBy('created_at', 'desc')
        .orderBy('id', 'desc')
        .limit(limit)
        .execute(),

    /** Resolves with those of the named operations that the user has, with their reports. */
    named: (owner: string, ids: readonly string[]): Promise<ReportedOperation[]> =>
      store
        .selectFrom('operation')
        .select(REPORTED_COLUMNS)
        .where('owner', '=', owner)
        .where('id', 'in', ids)
        .execute(),

    /** Resolves with those of the named operations, of all users, that are completed, with their reports. */
    completed: (ids: readonly string[]): Promise<ReportedOperation[]> =>
      store
        .selectFrom('operation')
        .select(REPORTED_COLUMNS)
        .where('id', 'in', ids)
        .where('state', '=', 'completed')
        .execute(),

    /** Resolves with the verdicts in the reports of the named operations, without reasons, null for one without a report. */
    verdicts: async (owner: string, ids: readonly string[]): Promise<Record<string, VerdictSummary | null>> => {
      const { verdictLevel, verdictNeedsRepair } = dialectOf(store);
      const rows = await store
        .selectFrom('operation')
        .select(['id', verdictLevel.as('level'), verdictNeedsRepair.as('needsRepair')])
        .where('owner', '=', owner)
        .where('id', 'in', ids)
        .execute();
      return Object.fromEntries(
        rows.map(({ id, level, needsRepair }) => [
          id,
          level === null ? null : { level, needsRepair: needsRepair === 1 },
        ]),
      );
    },

    /** Lists the stored files and models. */
    files: (owner: string, limit: number, before = END): Promise<ListedFile[]> =>
      store
        .selectFrom('file')
        .select(FILE_COLUMNS)
        .where('owner', '=', owner)
        .where('deleted_at', 'is', null)
        .where(isBefore(before))
        .orderBy('created_at', 'desc')
        .orderBy('id', 'desc')
        .limit(limit)
        .execute(),
  };
}

export type Lists = ReturnType<typeof createLists>;
