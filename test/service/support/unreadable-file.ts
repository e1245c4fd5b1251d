import fs from 'node:fs';
import promises from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';

const ORIGINALS = { openSync: fs.openSync, readSync: fs.readSync };
const PROMISES = { copyFile: promises.copyFile, readFile: promises.readFile };

function createReadError(): Error {
  // As that of a read from a bad sector: without a path.
  return Object.assign(new Error('EIO: i/o error, read'), { code: 'EIO', syscall: 'read' });
}

/** Runs `work` while the disk cannot read `file`, in this process. */
export async function withUnreadableFile<T>(file: string, work: () => Promise<T>): Promise<T> {
  const descriptors = new Set<number>();
  const patch = (target: object, name: string, replacement: unknown): void =>
    void Reflect.set(target, name, replacement);
  patch(fs, 'openSync', (...args: Parameters<typeof fs.openSync>) => {
    const descriptor = ORIGINALS.openSync(...args);
    if (args[0] === file) descriptors.add(descriptor);
    else descriptors.delete(descriptor);
    return descriptor;
  });
  patch(fs, 'readSync', (descriptor: number, ...rest: [Uint8Array, number, number, number | null]) => {
    if (descriptors.has(descriptor)) throw createReadError();
    return ORIGINALS.readSync(descriptor, ...rest);
  });
  for (const [name, original] of Object.entries(PROMISES)) {
    patch(promises, name, (...args: unknown[]) =>
      args[0] === file ? Promise.reject(createReadError()) : Reflect.apply(original, promises, args),
    );
  }
  syncBuiltinESMExports();
  try {
    return await work();
  } finally {
    Object.assign(fs, ORIGINALS);
    Object.assign(promises, PROMISES);
    syncBuiltinESMExports();
  }
}
