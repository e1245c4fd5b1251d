import type { LineRange } from './append-only-file.js';
import { isUnfinished, type LineWord, parseLine } from './journal-line.js';

/** Where a line stands in the file, and its word. */
export interface Place extends LineRange {
  word: LineWord;
  /** False in files of earlier versions. */
  hasChecksum: boolean;
}

/** The line of a session. `boot`: see `bootName`. */
export interface SessionPlace extends Place {
  boot: string;
}

/** What a journal holds. */
export interface JournalContents {
  /** By key, oldest first. */
  live: Map<string, Place>;
  /** The last session that wrote to it. */
  session: SessionPlace | undefined;
  damaged: Buffer[];
  /** Live entries whose message may have been sent, which the file does not say. */
  doubtful: Set<Place>;
  /** Lines are there that are needed no longer. */
  hasGarbage: boolean;
}

const LINE_FEED = 10;

/**
 * Reads a journal. `boot`: names the time since the machine was started; a session of an earlier one that has no end was cut off with the
 * machine, which may have lost what was not on the disk yet. All that was live then may have been sent.
 */
export function parseJournal(
  bytes: Buffer,
  boot: string,
  isEntry: (entry: Record<string, unknown>) => boolean,
): JournalContents {
  const live = new Map<string, Place>();
  const damaged: Buffer[] = [];
  const unfinished: Buffer[] = [];
  let session: SessionPlace | undefined;
  let isOldVersion = true;

  const doubtful = new Set<Place>();

  const doubt = (places: Iterable<Place>): void => {
    for (const place of places) {
      if (place.word !== 'sent') doubtful.add(place);
      place.word = 'sent';
    }
  };
  const takeLine = (line: Buffer, offset: number): void => {
    const parsed = parseLine(line);
    if (!parsed || (!parsed.hasChecksum && !isOldVersion)) {
      damaged.push(line);
      // It may have said of any entry of that version that its message is sent.
      if (isOldVersion) doubt(live.values());
      return;
    }
    const { word, key, entry, hasChecksum } = parsed;
    isOldVersion &&= !hasChecksum;
    const place = { offset, length: line.length + 1, hasChecksum };
    if (word === undefined) damaged.push(line);
    if (word === 'boot' || word === 'shut') session = { ...place, word, boot: key };
    else if (word === 'done') live.delete(key);
    else if (word === 'sending') doubt([live.get(key)].filter((each) => each !== undefined));
    else if (isEntry(entry)) {
      live.delete(key);
      live.set(key, { ...place, word: word ?? 'wait' });
      // It has a word that nobody can read.
      if (word === undefined) doubt([live.get(key)].filter((each) => each !== undefined));
    } else if (word !== undefined) damaged.push(line);
  };

  for (let offset = 0, end = 0; offset < bytes.length; offset = end + 1) {
    end = bytes.indexOf(LINE_FEED, offset);
    const isCut = end < 0;
    if (isCut) end = bytes.length;
    const line = bytes.subarray(offset, end);
    if (isUnfinished(line)) unfinished.push(line);
    else if (isCut) damaged.push(line);
    else if (line.length > 0) takeLine(line, offset);
  }

  if (session?.word === 'boot' && session.boot !== boot) {
    doubt(live.values());
    damaged.push(...unfinished);
  }
  const needed = [...live.values(), ...(session ? [session] : [])];
  const neededBytes = needed.reduce((sum, { length }) => sum + length, 0);
  return { live, session, damaged, doubtful, hasGarbage: neededBytes < bytes.length || damaged.length > 0 };
}
