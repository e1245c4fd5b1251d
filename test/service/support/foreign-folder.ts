import promises from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';

/** Runs `work` while `folder` belongs to another user, for this process: nobody but the owner may change its mode. */
export async function withForeignFolder<T>(folder: string, work: () => Promise<T>): Promise<T> {
  const { chmod } = promises;
  promises.chmod = (file, mode) =>
    file === folder
      ? Promise.reject(Object.assign(new Error(`EPERM: operation not permitted, chmod '${folder}'`), { code: 'EPERM' }))
      : chmod(file, mode);
  syncBuiltinESMExports();
  try {
    return await work();
  } finally {
    promises.chmod = chmod;
    syncBuiltinESMExports();
  }
}
