import { mkdir, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';

/** Installs packages in a new user directory of Node-RED, by links: name → folder. */
export async function linkPackages(userDir: string, packages: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, folder] of Object.entries(packages)) {
    const link = path.join(userDir, 'node_modules', name);
    await mkdir(path.dirname(link), { recursive: true });
    await symlink(path.resolve(folder), link, 'junction');
  }
  const dependencies = Object.fromEntries(Object.keys(packages).map((name) => [name, '*']));
  await writeFile(path.join(userDir, 'package.json'), JSON.stringify({ name: 'user', private: true, dependencies }));
}
