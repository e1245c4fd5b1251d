import type { LineRange } from './append-only-file.js';
import { isUnfinished, type LineState, parseLine } from './journal-line.js';

/** A line of the file with its state. */
export interface StoredLine extends LineRange {
  state: LineState;
  /** Lines of earlier versions have no checksum. */
  hasChecksum: boolean;
}

/** The line of a session. `boot`: the boot of the machine in which it began, see `WaitClock`. */
export interface StoredSession extends StoredLine {
  boot: string;
}

/** The contents of a journal. */
export interface JournalContents {
  /** Key → line of a live entry, oldest first. */
  live: Map<string, StoredLine>;
  /** The session that wrote last. */
  session: StoredSession | undefined;
  /** Damaged lines, without line feeds. */
  damaged: Buffer[];
  /** Live entries whose message may have been sent, although the file does not say so. */
  possiblySent: Set<StoredLine>;
  /** The file contains lines that are no longer needed. */
  hasGarbage: boolean;
}

const LINE_FEED = 10;

/**
 * Parses a journal. `boot` identifies the current boot of the machine.
 *
 * If the last session belongs to an earlier boot and has no end, the machine lost power or crashed, and may have lost
 * states that were not on the disk yet. All live entries may then have been sent.
 */
export function parseJournal(
  bytes: Buffer,
  boot: string,
  isEntry: (entry: Record<string, unknown>) => boolean,
): JournalContents {
  const live = new Map<string, StoredLine>();
  const damaged: Buffer[] = [];
  const unfinished: Buffer[] = [];
  let session: StoredSession | undefined;
  let isOldVersion = true;

  const possiblySent = new Set<StoredLine>();

  const markPossiblySent = (lines: Iterable<StoredLine>): void => {
    for (const stored of lines) {
      if (stored.state !== 'sent') possiblySent.add(stored);
      stored.state = 'sent';
    }
  };
  const replayLine = (line: Buffer, offset: number): void => {
    const parsed = parseLine(line);
    if (!parsed || (!parsed.hasChecksum && !isOldVersion)) {
      damaged.push(line);
      // In files without checksums, the damaged line may have been the `sending` line of any entry.
      if (isOldVersion) markPossiblySent(live.values());
      return;
    }
    const { state, key, entry, hasChecksum } = parsed;
    isOldVersion &&= !hasChecksum;
    const stored = { offset, length: line.length + 1, hasChecksum };
    if (state === undefined) damaged.push(line);
    if (state === 'boot' || state === 'shut') session = { ...stored, state, boot: key };
    else if (state === 'done') live.delete(key);
    else if (state === 'sending') markPossiblySent([live.get(key)].filter((line) => line !== undefined));
    else if (isEntry(entry)) {
      live.delete(key);
      live.set(key, { ...stored, state: state ?? 'wait' });
      // Its state is damaged and may have been `sent`.
      if (state === undefined) markPossiblySent([live.get(key)].filter((line) => line !== undefined));
    } else if (state !== undefined) damaged.push(line);
  };

  for (let offset = 0, end = 0; offset < bytes.length; offset = end + 1) {
    end = bytes.indexOf(LINE_FEED, offset);
    const isUnterminated = end < 0;
    if (isUnterminated) end = bytes.length;
    const line = bytes.subarray(offset, end);
    if (isUnfinished(line)) unfinished.push(line);
    else if (isUnterminated) damaged.push(line);
    else if (line.length > 0) replayLine(line, offset);
  }

  if (session?.state === 'boot' && session.boot !== boot) {
    markPossiblySent(live.values());
    damaged.push(...unfinished);
  }
  const needed = [...live.values(), ...(session ? [session] : [])];
  const neededBytes = needed.reduce((sum, { length }) => sum + length, 0);
  return { live, session, damaged, possiblySent, hasGarbage: neededBytes < bytes.length || damaged.length > 0 };
}
