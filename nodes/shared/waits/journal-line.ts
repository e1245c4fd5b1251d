import { crc32 } from 'node:zlib';

/**
 * The first key of a line is the state of its entry. It is the only part of a line that changes. It is overwritten in
 * place, which needs no disk space.
 * - `open`: the line is being written.
 * - `wait`: the entry is live.
 * - `sent`: the entry is live, and its message may have been sent.
 * - `done`: the entry has ended.
 * - `boot`, `shut`: not an entry, but a session that has begun, or ended.
 */
export type LineState = 'open' | 'wait' | 'sent' | 'done' | 'boot' | 'shut';

/** A parsed line. The state `sending` occurs in files without checksums; `undefined` is an unknown state. */
export interface JournalLine {
  state: LineState | 'sending' | undefined;
  key: string;
  entry: Record<string, unknown>;
  hasChecksum: boolean;
}

/** Offset of the state in a line. */
export const STATE_OFFSET = 2;

const STATES: readonly string[] = ['open', 'wait', 'sent', 'done', 'boot', 'shut', 'sending'];
const UNFINISHED = '{"open":"';
/** The checksum covers the bytes between the state and itself. */
const CHECKED_FROM = STATE_OFFSET + 4;
const CHECKSUM = /^,"crc":"([0-9a-f]{8})"\}$/;
const CHECKSUM_LENGTH = ',"crc":"00000000"}'.length;

/**
 * Returns a line with its line feed: `{"<state>":key, …, "crc":…}`. `crc` is a CRC-32 (as in RFC 1952) in hexadecimal digits.
 */
export function serializeLine(state: LineState, key: string, entry: object = {}): Buffer {
  const body = Buffer.from(JSON.stringify({ [state]: key, ...entry }).slice(0, -1));
  const checksum = crc32(body.subarray(CHECKED_FROM)).toString(16).padStart(8, '0');
  return Buffer.concat([body, Buffer.from(`,"crc":"${checksum}"}\n`)]);
}

/** Parses a line without its line feed. Returns `undefined` if it is damaged. */
export function parseLine(bytes: Buffer): JournalLine | undefined {
  const checksum = CHECKSUM.exec(bytes.subarray(-CHECKSUM_LENGTH).toString('latin1'))?.[1];
  const checked = bytes.subarray(CHECKED_FROM, bytes.length - CHECKSUM_LENGTH);
  if (checksum !== undefined && crc32(checked) !== Number.parseInt(checksum, 16)) return undefined;
  const parsed = parseObject(bytes.toString());
  const [[state, key] = [], ...others] = parsed ? Object.entries(parsed) : [];
  if (typeof key !== 'string') return undefined;
  const entry = Object.fromEntries(others.filter(([name]) => name !== 'crc'));
  const hasChecksum = checksum !== undefined;
  if (isState(state)) return { state, key, entry, hasChecksum };
  // The checksum proves that only the state is damaged.
  return hasChecksum ? { state: undefined, key, entry, hasChecksum } : undefined;
}

/** Returns whether a line, or its beginning, was still being written when its process ended: no caller relies on it. */
export function isUnfinished(bytes: Buffer): boolean {
  const start = bytes.subarray(0, UNFINISHED.length).toString('latin1');
  return start === UNFINISHED;
}

function isState(state: string | undefined): state is LineState | 'sending' {
  return state !== undefined && STATES.includes(state);
}

function parseObject(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
