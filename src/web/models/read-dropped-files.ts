/** A file of a person, and its name with the folders that were chosen with it. */
export interface ChosenFile {
  file: File;
  filename: string;
}

/** The service keeps no folders: their names become part of the name of the file. */
function joinPath(path: string): string {
  return path
    .split('/')
    .filter((part) => part !== '')
    .join(' - ');
}

function isHidden(path: string): boolean {
  return path.split('/').some((part) => part.startsWith('.') || part === '__MACOSX');
}

async function readEntries(reader: FileSystemDirectoryReader): Promise<FileSystemEntry[]> {
  const entries: FileSystemEntry[] = [];
  for (;;) {
    // Browsers return up to 100 entries at a time.
    const part = await new Promise<FileSystemEntry[]>((resolve, reject) => {
      reader.readEntries(resolve, reject);
    });
    if (part.length === 0) return entries;
    entries.push(...part);
  }
}

/** Resolves with a file, or with those in a folder that can be read. */
function readEntry(entry: FileSystemEntry): Promise<ChosenFile[]> {
  return readReadableEntry(entry).catch(() => []);
}

async function readReadableEntry(entry: FileSystemEntry): Promise<ChosenFile[]> {
  if (isHidden(entry.fullPath)) return [];
  if (entry.isDirectory) {
    const entries = await readEntries((entry as FileSystemDirectoryEntry).createReader());
    return (await Promise.all(entries.map(readEntry))).flat();
  }
  const file = await new Promise<File>((resolve, reject) => {
    (entry as FileSystemFileEntry).file(resolve, reject);
  });
  return [{ file, filename: joinPath(entry.fullPath) }];
}

/** Resolves with the files that were dropped, and those in dropped folders. One that cannot be read is left out. */
export async function readDroppedFiles(transfer: DataTransfer): Promise<ChosenFile[]> {
  // The items are gone after the event, so the entries are taken first.
  const entries = [...transfer.items].map((item) => item.webkitGetAsEntry());
  const files = [...transfer.files];
  const found = await Promise.all(entries.map((entry) => (entry ? readEntry(entry) : [])));
  const all = found.flat();
  return all.length > 0 ? all : files.map((file) => ({ file, filename: file.name }));
}

/** Returns the files that were chosen in a dialog. */
export function readChosenFiles(list: FileList): ChosenFile[] {
  return [...list]
    .filter((file) => !isHidden(file.webkitRelativePath))
    .map((file) => ({ file, filename: joinPath(file.webkitRelativePath || file.name) }));
}
