import type { Random } from '../support/random.js';
import {
  applyToEntries,
  type DiskFile,
  type DiskFolder,
  type EntryChange,
  type FileChange,
  type Tree,
} from './disk.js';

const SECTOR_BYTES = 512;

/** How much of what was not synced a power loss leaves. */
export interface PowerLoss {
  /** The probability that a new, renamed or removed name is kept. */
  entryShare: number;
  /** The probability that a sector, or the size of a file, has its newest content. */
  byteShare: number;
  /** Entries and bytes are written in their order, up to some moment. Otherwise in any order. */
  isOrdered: boolean;
}

const SHARES = [0, 0, 0.1, 0.5, 0.9, 1, 1];

/** Chooses a power loss: from one that leaves nothing that was not synced to one that leaves everything. */
export function choosePowerLoss(random: Random): PowerLoss {
  const [entryShare, byteShare] = [random.pick(SHARES), random.pick(SHARES)];
  return { entryShare, byteShare, isOrdered: random.next() < 0.3 };
}

/** Chooses how many of `count` changes are kept. `share`: the probability that all are. */
function chooseCount(count: number, share: number, random: Random): number {
  if (share === 0 || random.next() < share) return share === 0 ? 0 : count;
  return random.integer(0, count);
}

function chooseEntries(pending: EntryChange[], loss: PowerLoss, random: Random): EntryChange[] {
  if (!loss.isOrdered) return pending.filter(() => random.next() < loss.entryShare);
  const inOrder = pending.toSorted((one, other) => one.returned - other.returned);
  return inOrder.slice(0, chooseCount(pending.length, loss.entryShare, random));
}

/** Lists all pending changes of the entries below a folder, also of folders that are lost. */
function listPending(folder: DiskFolder): EntryChange[] {
  const children = new Set([...folder.durable.values(), ...folder.pending.flatMap(({ node }) => node ?? [])]);
  const below = [...children].flatMap((node) => (node.type === 'folder' ? listPending(node) : []));
  return [...folder.pending, ...below];
}

/** Writes those sectors of a change for which `isKept` holds. `bytes`: large enough for the whole change. */
function applySectors(
  bytes: Buffer,
  change: FileChange & { type: 'write' },
  isKept: (sector: number) => boolean,
): void {
  const end = change.offset + change.bytes.length;
  for (let start = change.offset; start < end; ) {
    const sector = Math.floor(start / SECTOR_BYTES);
    const next = Math.min(end, (sector + 1) * SECTOR_BYTES);
    if (isKept(sector)) change.bytes.copy(bytes, start, start - change.offset, next - change.offset);
    start = next;
  }
}

/** Returns the size of a file after the first `count` of its pending changes. */
function sizeAfter({ durable, pending }: DiskFile, count: number): number {
  const grow = (size: number, change: FileChange): number =>
    change.type === 'size' ? change.size : Math.max(size, change.offset + change.bytes.length);
  return pending.slice(0, count).reduce(grow, durable.length);
}

function leaveFile(file: DiskFile, loss: PowerLoss, random: Random): Buffer {
  const { durable, pending } = file;
  if (pending.length === 0) return durable;
  const sizeCount = chooseCount(pending.length, loss.byteShare, random);
  // A write after a lost change of the size is lost too: file systems write to new blocks then.
  const lostSize = pending.findIndex(({ type }, index) => type === 'size' && index >= sizeCount);
  const limit = lostSize < 0 ? pending.length : lostSize;
  const counts = new Map<number, number>();
  const countOf = (sector: number): number => {
    const count = counts.get(sector) ?? Math.min(limit, chooseCount(pending.length, loss.byteShare, random));
    counts.set(sector, count);
    return count;
  };
  const isKept = (index: number, sector: number): boolean => {
    if (!loss.isOrdered) return index < countOf(sector);
    if (index === sizeCount) return index < limit && random.next() < loss.byteShare; // torn
    return index < sizeCount;
  };
  // The largest size is allocated once: a file may have many sectors.
  const bytes = Buffer.alloc(
    Math.max(durable.length, ...[...pending.keys()].map((index) => sizeAfter(file, index + 1))),
  );
  durable.copy(bytes);
  pending.forEach((change, index) => {
    if (change.type === 'write') applySectors(bytes, change, (sector) => isKept(index, sector));
    else if (index < sizeCount) bytes.fill(0, change.size);
  });
  return bytes.subarray(0, sizeAfter(file, sizeCount));
}

/**
 * Returns what a disk with the folder `root` contains after a power loss. Names of the same file have the same `Buffer`.
 */
export function losePower(root: DiskFolder, loss: PowerLoss, random: Random): Tree {
  const chosen = new Set(chooseEntries(listPending(root), loss, random));
  const isLost = (change: EntryChange): boolean => change.folder.pending.includes(change) && !chosen.has(change);
  const isKept = (change: EntryChange): boolean => !isLost(change) && !(change.needs && isLost(change.needs));
  const files = new Map<DiskFile, Buffer>();
  const leaveOnce = (file: DiskFile): Buffer => {
    const bytes = files.get(file) ?? leaveFile(file, loss, random);
    files.set(file, bytes);
    return bytes;
  };
  const leave = (folder: DiskFolder): Tree => {
    const entries = new Map(folder.durable);
    for (const change of folder.pending.filter(isKept)) applyToEntries(entries, change);
    return new Map([...entries].map(([name, node]) => [name, node.type === 'folder' ? leave(node) : leaveOnce(node)]));
  };
  return leave(root);
}
