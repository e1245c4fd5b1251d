import { crc32 } from 'node:zlib';
import { type BlobDigest, formatCrc } from './digest.js';

// The checksum is the last field. It covers the text before it.
const RECORD_LINE = /^(\{.*),"crc32":"([0-9a-f]{8})"\}\n$/s;

/** What is known about a stored file or model. It stands beside the blob, so that the database can be rebuilt from it. */
export interface BlobRecord extends BlobDigest {
  id: string;
  /** The id of the user. */
  owner: string;
  kind: 'file' | 'model';
  filename: string;
  mediaType: string;
  /** In ms since 1970. */
  createdAt: number;
  /** The operation whose output it is. Null for an upload. */
  operationId: string | null;
  /** The idempotency key of the upload and the fingerprint of its content, if it has a key. */
  request?: { key: string; fingerprint: string } | undefined;
}

const FIELD_TYPES: Record<Exclude<keyof BlobRecord, 'request'>, 'string' | 'number' | 'string or null'> = {
  id: 'string',
  owner: 'string',
  kind: 'string',
  filename: 'string',
  mediaType: 'string',
  createdAt: 'number',
  operationId: 'string or null',
  size: 'number',
  sha256: 'string',
  blockCrcs: 'string',
};

function isRecord(value: Partial<Record<string, unknown>>): boolean {
  return Object.entries(FIELD_TYPES).every(([name, type]) =>
    type === 'string or null' ? value[name] === null || typeof value[name] === 'string' : typeof value[name] === type,
  );
}

function isRequest(value: unknown): boolean {
  const { key, fingerprint }: { key?: unknown; fingerprint?: unknown } = Object(value);
  return value === undefined || (typeof key === 'string' && typeof fingerprint === 'string');
}

/** Returns a record as one line of JSON that ends with the CRC-32 of the text before it. */
export function serializeRecord(record: BlobRecord): string {
  const body = JSON.stringify({ version: 1, ...record }).slice(0, -1);
  return `${body},"crc32":"${formatCrc(crc32(body))}"}\n`;
}

/** Parses a record. Returns `undefined` if it is damaged or of an unknown version. */
export function parseRecord(text: string): BlobRecord | undefined {
  const [, body, crc] = RECORD_LINE.exec(text) ?? [];
  if (body === undefined || crc !== formatCrc(crc32(body))) return undefined;
  const { version, ...record }: Partial<Record<string, unknown>> = JSON.parse(`${body}}`);
  const isKnown = version === 1 && (record.kind === 'file' || record.kind === 'model') && isRecord(record);
  return isKnown && isRequest(record.request) ? (record as unknown as BlobRecord) : undefined;
}
