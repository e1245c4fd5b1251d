import type { FileRecord, OperationRecord } from '../../api/index.js';

/** A model that was imported from the file of an item, or created by a further operation. */
export interface Version {
  modelId: string;
  /** The successful operation that created it. */
  operation: OperationRecord;
  /** False: it has expired or was deleted. */
  isStored: boolean;
}

/** The model in an archive that an import was to read. */
export interface ArchiveEntry {
  /** Its path in the archive. */
  path: string;
  archiveId: string;
  archiveName: string;
}

/** An uploaded file, or a model in an archive, with all operations that descend from it. */
export interface Item {
  /** The id of the file, of the model if the file is not known any more, or of the first import of a model in an archive. */
  id: string;
  filename: string;
  /** Absent for a file. */
  entry?: ArchiveEntry;
  /** ISO 8601. */
  createdAt: string;
  /** Absent if the file is not stored any more. */
  file?: FileRecord;
  /** Oldest first. */
  operations: readonly OperationRecord[];
  /** Oldest first. */
  versions: readonly Version[];
}

/** The operations whose result is a model to continue with. */
const HELPERS = new Set(['preview', 'thumbnail']);

/** Returns whether an operation only serves to show a model. */
export function isHelper({ operation = '' }: OperationRecord): boolean {
  return HELPERS.has(operation);
}

/** Returns the id of what a successful operation created. */
export function outputOf({ resultId, fileId }: OperationRecord): string | undefined {
  return resultId ?? fileId;
}

/** Returns the id of a file or model. */
export function idOf(file: FileRecord): string {
  return file.kind === 'file' ? file.fileId : file.resultId;
}

// A chain of operations is not longer. Bounds the search should ids form a circle.
const MAX_DEPTH = 1000;

/** Compares times in ISO 8601. Many times as fast as `localeCompare`. */
function compareTimes(left = '', right = ''): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}

/** Returns whether an item shows the same as before. */
function isSame(left: Item, right: Item): boolean {
  return (
    left.file === right.file &&
    left.operations.length === right.operations.length &&
    left.operations.every((operation, index) => operation === right.operations[index]) &&
    left.versions.every(({ isStored }, index) => isStored === right.versions[index]?.isStored)
  );
}

/**
 * Returns the items that files and operations form, newest first. Each operation belongs to the uploaded file, or the
 * model in an archive, that its input descends from. `previous`: the items before a change; those that it does not
 * concern are returned as they are.
 */
export function createItems(
  files: Iterable<FileRecord>,
  operations: Iterable<OperationRecord>,
  previous: readonly Item[] = [],
): Item[] {
  const known = new Map(previous.map((item) => [item.id, item]));
  const stored = new Map([...files].map((file) => [idOf(file), file]));
  const all = [...operations].sort((left, right) => compareTimes(left.createdAt, right.createdAt));
  const producers = new Map(all.map((operation) => [outputOf(operation) ?? '', operation]));
  /** Returns the operation that a chain of operations begins with. */
  const findFirst = (operation: OperationRecord): OperationRecord => {
    let first = operation;
    for (let depth = 0; depth < MAX_DEPTH; depth++) {
      const producer = producers.get(first.inputId ?? '');
      if (producer?.inputId === undefined) return first;
      first = producer;
    }
    return first;
  };
  const groups = new Map<string, OperationRecord[]>();
  for (const operation of all) {
    const { inputId = '', entry } = findFirst(operation);
    const key = entry === undefined ? inputId : `${inputId}/${entry}`;
    const group = groups.get(key);
    if (group) group.push(operation);
    else groups.set(key, [operation]);
  }
  for (const [id, file] of stored) {
    if (file.kind === 'file' && !producers.has(id) && !groups.has(id)) groups.set(id, []);
  }
  const items = [...groups].map(([key, group]): Item => {
    const entry = createEntry(group[0]);
    const id = (entry && group[0]?.operationId) ?? key;
    const file = stored.get(entry?.archiveId ?? key);
    const createdAt = (entry ? undefined : file?.creationDate) ?? group[0]?.createdAt ?? '';
    const filename = entry ? baseName(entry.path) : (file?.filename ?? group[0]?.filename ?? id);
    const versions = group.flatMap((operation): Version[] => {
      const { resultId } = operation;
      return resultId === undefined ? [] : [{ modelId: resultId, operation, isStored: stored.has(resultId) }];
    });
    const item = {
      id,
      filename,
      createdAt,
      operations: group,
      versions,
      ...(entry && { entry }),
      ...(file && { file }),
    };
    const before = known.get(id);
    return before && isSame(before, item) ? before : item;
  });
  return items.sort((left, right) => compareTimes(right.createdAt, left.createdAt));
}

function createEntry(operation: OperationRecord | undefined): ArchiveEntry | undefined {
  const { entry, inputId = '', filename = '' } = operation ?? {};
  return entry === undefined ? undefined : { path: entry, archiveId: inputId, archiveName: filename };
}

function baseName(path: string): string {
  return path.split(/[\\/]/).at(-1) || path;
}

/** Returns the models in an archive of which the last import of an item was to choose one; none for other items. */
export function archivedModelsOf(item: Item): readonly string[] {
  const operation = lastOperation(item);
  return operation?.operation === 'import' && item.entry === undefined ? (operation.error?.entries ?? []) : [];
}

/** Returns the version that is shown first: the last one that is stored. */
export function latestVersion({ versions }: Item): Version | undefined {
  return versions.findLast(({ isStored }) => isStored);
}

/** Returns whether an item can still be worked with. */
export function isItemStored(item: Item): boolean {
  return item.file !== undefined || latestVersion(item) !== undefined;
}

/** Returns the last operation of an item that a person started. */
export function lastOperation({ operations }: Item): OperationRecord | undefined {
  return operations.findLast((operation) => !isHelper(operation));
}

/** Returns the file of the picture or the preview of a model, if it was created and is stored. */
export function findShownFile(
  item: Item,
  modelId: string,
  operation: 'preview' | 'thumbnail',
  isStored: (id: string) => boolean,
): string | undefined {
  const found = item.operations.findLast(
    ({ inputId, operation: name, fileId }) => inputId === modelId && name === operation && fileId !== undefined,
  );
  return found?.fileId !== undefined && isStored(found.fileId) ? found.fileId : undefined;
}
