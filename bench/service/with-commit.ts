import { execFile } from 'node:child_process';
import { symlink } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Runs `work` with a new folder that contains a commit, built with the packages of this checkout. */
export async function withCommit<T>(folder: string, commit: string, work: () => Promise<T>): Promise<T> {
  await run('git', ['worktree', 'add', '--detach', folder, commit]);
  try {
    await symlink(path.resolve('node_modules'), path.join(folder, 'node_modules'));
    await run(process.execPath, ['scripts/build.mjs'], { cwd: folder });
    return await work();
  } finally {
    await run('git', ['worktree', 'remove', '--force', folder]);
  }
}
