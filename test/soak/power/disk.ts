// A model of a disk that loses its power. It allows what POSIX allows, except for losses that no journaling file system
// shows. It is at least as weak as ext4, XFS and Btrfs with write barriers, and as the disk of SQLite's documentation:
//
// - fsync and fdatasync of a file make its bytes and its size durable, but not its name (man 2 fsync).
// - fsync of a folder makes its entries durable. Until then each new, renamed or removed name may be lost or kept by
//   itself, in any order. A rename is atomic: no name vanishes without the new one (POSIX rename; ext4 and XFS journal it
//   in one transaction).
// - Everything else may be lost or kept in any order. Each sector of 512 bytes holds the bytes of some moment since the
//   last sync, so writes are torn and reordered. A size may be durable without the bytes, which are zeros then. A sector
//   itself is never torn, and its neighbors do not change (SQLite: "powersafe overwrite").
//
// The rules follow the abstract persistence models of ALICE (Pillai et al., "All File Systems Are Not Created Equal",
// OSDI 2014): the weak one, with atomic renames. Losing changes at any moment, not only at syncs, goes beyond CrashMonkey
// (Mohan et al., "Finding Crash-Consistency Bugs with Bounded Black-Box Crash Testing", OSDI 2018).

/** The lines of a trace between which a change was made. */
export interface Moment {
  entered: number;
  returned: number;
}

/** A change to the bytes or the size of a file. */
export type FileChange = Moment & ({ type: 'write'; offset: number; bytes: Buffer } | { type: 'size'; size: number });

/** A file: the bytes that a power loss leaves, and the changes that it may lose. */
export interface DiskFile {
  type: 'file';
  durable: Buffer;
  pending: FileChange[];
}

/** A new entry of a folder, or the removal of one (without `node`). */
export interface EntryChange extends Moment {
  folder: DiskFolder;
  name: string;
  node?: DiskFile | DiskFolder;
  /** The change without which this one is not made: both belong to a rename. */
  needs?: EntryChange;
}

/** A folder: its entries as programs see them, those that a power loss leaves, and the changes that it may lose. */
export interface DiskFolder {
  type: 'folder';
  entries: Map<string, DiskNode>;
  durable: Map<string, DiskNode>;
  pending: EntryChange[];
}

export type DiskNode = DiskFile | DiskFolder;

/** Name → bytes of a file, or the content of a folder. */
export type Tree = Map<string, Buffer | Tree>;

/** Returns a node whose content is durable. */
export function createDurableNode(content: Buffer | Tree): DiskNode {
  if (Buffer.isBuffer(content)) return { type: 'file', durable: content, pending: [] };
  const entries = new Map([...content].map(([name, part]) => [name, createDurableNode(part)]));
  return { type: 'folder', entries, durable: new Map(entries), pending: [] };
}

/** Returns an empty file or folder that a program created. */
export function createNode(type: DiskNode['type']): DiskNode {
  return createDurableNode(type === 'file' ? Buffer.alloc(0) : new Map());
}

/** Returns the bytes of a file after a change. May reuse the memory of `bytes`. */
export function applyToFile(bytes: Buffer, change: FileChange): Buffer {
  if (change.type === 'size' && change.size <= bytes.length) return Buffer.from(bytes.subarray(0, change.size));
  const end = change.type === 'size' ? change.size : change.offset + change.bytes.length;
  const grown = end > bytes.length ? Buffer.concat([bytes, Buffer.alloc(end - bytes.length)]) : bytes;
  if (change.type === 'write') change.bytes.copy(grown, change.offset);
  return grown;
}

/** Returns the bytes of a file as programs see them. */
export function readFile(file: DiskFile): Buffer {
  return file.pending.reduce(applyToFile, Buffer.from(file.durable));
}

/** Applies a change of an entry to the names of a folder. */
export function applyToEntries(entries: Map<string, DiskNode>, { name, node }: EntryChange): void {
  if (node) entries.set(name, node);
  else entries.delete(name);
}

/** Changes an entry of a folder. Until a sync it may be lost. */
export function changeEntry(change: EntryChange): EntryChange {
  applyToEntries(change.folder.entries, change);
  change.folder.pending.push(change);
  return change;
}

/** A folder and a name in it. */
export interface Place {
  folder: DiskFolder;
  name: string;
}

/** Finds the folder and the name of a path like `a/b/c`. Throws if a folder does not exist. */
export function findPlace(root: DiskFolder, file: string): Place {
  const parts = file.split('/');
  let folder = root;
  for (const part of parts.slice(0, -1)) {
    const next = folder.entries.get(part);
    if (next?.type !== 'folder') throw new Error(`Could not find ${file}: there is no folder ${part}.`);
    folder = next;
  }
  return { folder, name: parts.at(-1) ?? '' };
}

/** Renames an entry. Throws if it does not exist. */
export function renameEntry(from: Place, to: Place, { entered, returned }: Moment): void {
  const node = from.folder.entries.get(from.name);
  if (!node) throw new Error(`Could not rename ${from.name}: there is no such entry.`);
  const added: EntryChange = { ...to, node, entered, returned };
  const removed: EntryChange = { ...from, entered, returned, needs: added };
  if (from.folder === to.folder) added.needs = removed;
  changeEntry(removed);
  changeEntry(added);
}

function makeDurable(change: EntryChange): void {
  const { folder, needs } = change;
  const index = folder.pending.indexOf(change);
  if (index < 0) return;
  folder.pending.splice(index, 1);
  applyToEntries(folder.durable, change);
  if (needs) makeDurable(needs);
}

/** Syncs a file or a folder: makes the changes durable that had returned when the sync started. */
export function syncNode(node: DiskNode, sync: Moment): void {
  if (node.type === 'folder') {
    for (const change of node.pending.filter(({ returned }) => returned < sync.entered)) makeDurable(change);
    return;
  }
  const isCovered = ({ returned }: FileChange): boolean => returned < sync.entered;
  node.durable = node.pending.filter(isCovered).reduce(applyToFile, Buffer.from(node.durable));
  node.pending = node.pending.filter((change) => !isCovered(change));
}
