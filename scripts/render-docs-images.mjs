// Draws the pictures of docs/geometry.md anew: the bundled sample before and after its repair, by the thumbnail operation of the built kernel.
// `node scripts/build.mjs && node scripts/render-docs-images.mjs`
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

const root = path.resolve(fileURLToPath(import.meta.url), '../..');
const at = (...parts) => path.join(root, ...parts);
const PARAMETERS = { thumbnail: { width: 480, height: 400 } };
const MEMORY = 2 ** 30;

const folder = mkdtempSync(path.join(os.tmpdir(), 'pictures-'));

/** Runs one job in a kernel process, as the service does. */
const run = async (operation, inputPath, outputPath) => {
  const place = { operation, inputPath, outputPath, filename: 'bracket.stl', parameters: PARAMETERS[operation] ?? {} };
  const child = spawn(process.execPath, [at('dist/src/service/kernel-process.js')], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  // The pipe stays open: its end would tell the process that we died.
  child.stdin.write(`${JSON.stringify({ ...place, memoryBytes: MEMORY, checksOwnMemory: false })}\n`);
  const output = await text(child.stdout);
  if (!output.includes('"done"')) throw new Error(`${operation} failed: ${output}`);
};

try {
  const [imported, repaired] = [path.join(folder, 'imported'), path.join(folder, 'repaired')];
  await run('import', at('examples/models/bracket.stl'), imported);
  await run('repair', imported, repaired);
  await run('thumbnail', imported, at('docs/pictures/bracket-before.png'));
  await run('thumbnail', repaired, at('docs/pictures/bracket-after.png'));
} finally {
  rmSync(folder, { recursive: true, force: true });
}
