import type { BucketOptions } from '../blobs/s3/bucket-options.js';
import { StartError } from '../start-error.js';
import type { PostgresOptions } from '../store/postgres.js';
import { type OptionTable, type ParsedOptions, readInteger } from './parse-options.js';
import { readOptionFile } from './service-options.js';

/** The options that say where the database is. */
export const CONNECTION_OPTIONS = {
  'database-url': { type: 'string' },
  'database-url-file': { type: 'string', isPath: true },
} as const satisfies OptionTable;

/** The options that say where the bucket is. */
export const BUCKET_OPTIONS = {
  's3-bucket': { type: 'string' },
  's3-endpoint': { type: 'string' },
  's3-region': { type: 'string' },
  's3-prefix': { type: 'string' },
  's3-path-style': { type: 'boolean' },
  's3-sse': { type: 'string' },
} as const satisfies OptionTable;

/** The options of a service on many machines: its database and its bucket. */
export const DATABASE_OPTIONS = {
  ...CONNECTION_OPTIONS,
  'database-connections': { type: 'string' },
  'no-migrate': { type: 'boolean' },
  ...BUCKET_OPTIONS,
} as const satisfies OptionTable;

/** Where the database of a service on many machines is. */
export type DatabaseConnection = Pick<PostgresOptions, 'url' | 'maxConnections' | 'migrates'>;

/** Where the data of a service on many machines are. */
export interface DatabaseOptions {
  database: DatabaseConnection;
  bucket: BucketOptions;
}

// An API process checks two passwords at a time, with two connections each. With fewer, both could wait for the other one.
const MIN_CONNECTIONS = 4;

function usageError(message: string): StartError {
  return new StartError('USAGE', message);
}

/**
 * Reads the URL of the database and the number of connections. Returns `undefined` if there is no URL. Throws `USAGE`,
 * without the URL in the message, which can contain a password.
 */
export function readConnection(options: ParsedOptions): DatabaseConnection | undefined {
  const text = options.stringValues.get('database-url');
  const file = options.stringValues.get('database-url-file');
  if (text !== undefined && file !== undefined) {
    throw usageError('Set only one of --database-url and --database-url-file (or its environment variable).');
  }
  const url = file === undefined ? text : readOptionFile('database-url-file', file).trim();
  const maxConnections = readInteger(options, 'database-connections', MIN_CONNECTIONS, 1000);
  if (url === undefined) return undefined;
  return { url, ...(maxConnections !== undefined && { maxConnections }) };
}

function readEncryption(text: string | undefined): BucketOptions['serverSideEncryption'] {
  if (text === undefined || text === 'AES256' || text === 'aws:kms') return text;
  throw usageError(`Invalid --s3-sse "${text}": expected AES256 or aws:kms.`);
}

/** Returns the endpoint. Throws `USAGE`. */
function readEndpoint(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url && /^https?:$/.test(url.protocol) && !url.username && !url.password) return text;
  throw usageError('Invalid --s3-endpoint: expected a URL such as https://s3.example.com, without credentials.');
}

/** Reads where the bucket is. Returns `undefined` if `--s3-bucket` is not set. Throws `USAGE`. */
export function readBucket({ stringValues, flags }: ParsedOptions): BucketOptions | undefined {
  const bucket = stringValues.get('s3-bucket');
  if (bucket === undefined) return undefined;
  return {
    bucket,
    endpoint: readEndpoint(stringValues.get('s3-endpoint')),
    region: stringValues.get('s3-region'),
    prefix: stringValues.get('s3-prefix'),
    forcePathStyle: flags.has('s3-path-style'),
    serverSideEncryption: readEncryption(stringValues.get('s3-sse')),
  };
}

/** Throws `USAGE` if one of these options is set: without a database they have no meaning. */
export function refuseWithoutDatabase({ stringValues, flags }: ParsedOptions): void {
  const lonely = Object.keys(DATABASE_OPTIONS).find((name) => stringValues.has(name) || flags.has(name));
  if (lonely === undefined) return;
  throw usageError(`Missing --database-url: --${lonely} is for a service whose rows are in PostgreSQL.`);
}

/**
 * Reads where the data of a service on many machines are. Returns `undefined` if none of these options is set. Throws
 * `USAGE`, also if only the database or only the bucket is set.
 */
export function readDatabaseOptions(options: ParsedOptions): DatabaseOptions | undefined {
  const connection = readConnection(options);
  if (!connection) {
    refuseWithoutDatabase(options);
    return undefined;
  }
  const bucket = readBucket(options);
  if (bucket === undefined) {
    throw usageError('Missing --s3-bucket: a service with --database-url stores its files in a bucket.');
  }
  return { database: { ...connection, migrates: !options.flags.has('no-migrate') }, bucket };
}

/** Removes the arguments from the process list, since a URL can contain a password. */
export function hideArguments(command: string): void {
  process.title = `model-processing ${command}`;
}
