import { cp, mkdtemp, rm, symlink } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';

/** A copy of the built checkout that a test may modify. */
export interface CheckoutCopy {
  folder: string;
  remove: () => Promise<void>;
}

/** Copies the built files that `npm run demo` and `npm start` need. Links the installed packages. */
export async function copyCheckout(): Promise<CheckoutCopy> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'checkout-'));
  for (const part of ['dist', 'scripts', 'examples', 'samples', 'package.json'])
    await cp(part, path.join(folder, part), { recursive: true });
  await symlink(path.resolve('node_modules'), path.join(folder, 'node_modules'), 'junction');
  return { folder, remove: () => rm(folder, { recursive: true, force: true, maxRetries: 40, retryDelay: 250 }) };
}
