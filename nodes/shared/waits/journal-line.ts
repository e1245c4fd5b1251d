import { crc32 } from 'node:zlib';

/**
 * The first word of a line says how its entry stands. It is the only part of a line that changes, in place, so that it needs no room on
 * the disk. `open`: the line is being written; `wait`: the entry is live; `sent`: its message may have been sent; `done`: it is through.
 * `boot` and `shut`: a session that began, and its end.
 */
export type LineWord = 'open' | 'wait' | 'sent' | 'done' | 'boot' | 'shut';

/** A line as it was read. `sending` is a word of files without checksums; `undefined` one that nobody knows. */
export interface JournalLine {
  word: LineWord | 'sending' | undefined;
  key: string;
  entry: Record<string, unknown>;
  hasChecksum: boolean;
}

/** Where the word begins in a line. */
export const WORD_OFFSET = 2;

const WORDS: readonly string[] = ['open', 'wait', 'sent', 'done', 'boot', 'shut', 'sending'];
const UNFINISHED = '{"open":"';
/** The checksum covers all between the word and itself. */
const CHECKED_FROM = WORD_OFFSET + 4;
const CHECKSUM = /^,"crc":"([0-9a-f]{8})"\}$/;
const CHECKSUM_LENGTH = ',"crc":"00000000"}'.length;

/** Returns an entry as `{"<word>":key, …, "crc":…}` and a line feed. */
export function serializeLine(word: LineWord, key: string, entry: object = {}): Buffer {
  const body = Buffer.from(JSON.stringify({ [word]: key, ...entry }).slice(0, -1));
  const checksum = crc32(body.subarray(CHECKED_FROM)).toString(16).padStart(8, '0');
  return Buffer.concat([body, Buffer.from(`,"crc":"${checksum}"}\n`)]);
}

/** Reads a line, without its line feed. `undefined`: it is damaged. */
export function parseLine(bytes: Buffer): JournalLine | undefined {
  const checksum = CHECKSUM.exec(bytes.subarray(-CHECKSUM_LENGTH).toString('latin1'))?.[1];
  const checked = bytes.subarray(CHECKED_FROM, bytes.length - CHECKSUM_LENGTH);
  if (checksum !== undefined && crc32(checked) !== Number.parseInt(checksum, 16)) return undefined;
  const parsed = parseObject(bytes.toString());
  const [[word, key] = [], ...others] = parsed ? Object.entries(parsed) : [];
  if (typeof key !== 'string') return undefined;
  const entry = Object.fromEntries(others.filter(([name]) => name !== 'crc'));
  const hasChecksum = checksum !== undefined;
  if (isWord(word)) return { word, key, entry, hasChecksum };
  // The rest of the line is as it was written.
  return hasChecksum ? { word: undefined, key, entry, hasChecksum } : undefined;
}

/** Whether a line, or what there is of it, was being written when its process ended: nobody was told that it is there. */
export function isUnfinished(bytes: Buffer): boolean {
  const start = bytes.subarray(0, UNFINISHED.length).toString('latin1');
  return start === UNFINISHED;
}

function isWord(word: string | undefined): word is LineWord | 'sending' {
  return word !== undefined && WORDS.includes(word);
}

function parseObject(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
