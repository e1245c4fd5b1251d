import type {
  AccountSerialRow,
  ClientRow,
  FileRow,
  IdempotencyKeyRow,
  IdentityRow,
  OperationRow,
  Schema,
  UserRow,
} from '../store/schema.js';

/** A row by the names of its columns. */
export type DamagedRow = Partial<Record<string, unknown>>;

/** Parses the rows of a table. A changed byte can give a column any value. */
export interface RowParser<Row> {
  table: keyof Schema;
  columns: readonly string[];
  /** Returns `undefined` if a column is missing or has an invalid value. */
  parse(row: DamagedRow): Row | undefined;
}

type Check = (value: unknown) => boolean;

const isText: Check = (value) => typeof value === 'string';
const isNumber: Check = (value) => typeof value === 'number' && Number.isFinite(value);
const isTag: Check = (value) => Number.isSafeInteger(value) && Number(value) >= 0;
const isId: Check = (value) => typeof value === 'string' && /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(value);
const isOneOf =
  (...values: unknown[]): Check =>
  (value) =>
    values.includes(value);

const isJson: Check = (value) => {
  try {
    return typeof value === 'string' && typeof JSON.parse(value) === 'object';
  } catch {
    return false;
  }
};

const orNull =
  (check: Check): Check =>
  (value) =>
    value === null || check(value);

/** The check of each column. */
type Checks<Row> = { [Column in keyof Row]-?: Check };

const USER: Checks<UserRow> = {
  id: isId,
  username: isText,
  password_hash: isText,
  created_at: isNumber,
  quota_bytes: orNull(isNumber),
};

const CLIENT: Checks<ClientRow> = { id: isText, secret_hash: isText, created_at: isNumber };

const FILE: Checks<FileRow> = {
  id: isId,
  owner: isId,
  kind: isOneOf('file', 'model'),
  filename: isText,
  media_type: isText,
  size: isNumber,
  created_at: isNumber,
  retained_from: isNumber,
  read_at: isNumber,
  sha256: orNull(isText),
  block_crcs: orNull(isText),
  damaged_at: orNull(isNumber),
  deleted_at: orNull(isNumber),
};

const OPERATION: Checks<OperationRow> = {
  id: isId,
  owner: isId,
  kind: isText,
  state: isOneOf('queued', 'running', 'completed'),
  priority: isOneOf('normal', 'low'),
  tag: isTag,
  is_successful: isOneOf(null, 0, 1),
  input_id: isId,
  output_id: orNull(isId),
  filename: isText,
  parameters: isJson,
  result: orNull(isJson),
  report: orNull(isJson),
  error: orNull(isJson),
  attempts: isNumber,
  progress: orNull(isNumber),
  created_at: isNumber,
  started_at: orNull(isNumber),
  finished_at: orNull(isNumber),
  retained_from: orNull(isNumber),
  callback_url: orNull(isText),
  callback_state: isOneOf('none', 'waiting', 'due', 'delivered', 'given-up'),
  callback_attempts: isNumber,
  callback_next_at: orNull(isNumber),
  input_hash: orNull(isText),
  kernel: orNull(isText),
};

const KEY: Checks<IdempotencyKeyRow> = {
  owner: isId,
  route: isText,
  key: isText,
  fingerprint: isText,
  resource_id: isId,
  created_at: isNumber,
};

/** Columns that earlier versions do not have, with their values. */
const ADDED = {
  ...{ retained_from: 0, sha256: null, block_crcs: null, damaged_at: null },
  ...{ input_hash: null, kernel: null, priority: 'normal', tag: 0 },
  quota_bytes: null,
};

function createParser<Row>(table: keyof Schema, checks: Checks<Row>): RowParser<Row> {
  const columns: [string, Check][] = Object.entries(checks);
  return {
    table,
    columns: Object.keys(checks),
    parse(damaged) {
      const values: DamagedRow = { ...ADDED, ...damaged };
      if (!columns.every(([column, check]) => check(values[column]))) return undefined;
      // Each column of Row has passed its check.
      return Object.fromEntries(columns.map(([column]) => [column, values[column]])) as Row;
    },
  };
}

export const VERSIONS = createParser<Schema['store']>('store', { version: isNumber });
export const IDENTITIES = createParser<IdentityRow>('identity', { store_id: isText, generation: isNumber });
export const ACCOUNT_SERIALS = createParser<AccountSerialRow>('account_serial', { serial: isNumber });
export const USERS = createParser('user', USER);
export const CLIENTS = createParser('client', CLIENT);
export const FILES = createParser('file', FILE);
export const OPERATIONS = createParser('operation', OPERATION);
export const KEYS = createParser('idempotency_key', KEY);
