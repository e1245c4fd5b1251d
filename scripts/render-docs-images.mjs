// Renders the images of docs/geometry.md: the sample before and after its repair, by the thumbnail operation of the
// built kernel. Usage: `node scripts/build.mjs && node scripts/render-docs-images.mjs`.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

const root = path.resolve(fileURLToPath(import.meta.url), '../..');
function toPath(...parts) {
  return path.join(root, ...parts);
}
const PARAMETERS = { thumbnail: { width: 480, height: 400 } };
const MEMORY_BYTES = 2 ** 30;

const folder = mkdtempSync(path.join(os.tmpdir(), 'pictures-'));

/** Runs one job in a kernel process, as the service does. */
async function runJob(operation, inputPath, outputPath) {
  const job = { operation, inputPath, outputPath, filename: 'bracket.stl', parameters: PARAMETERS[operation] ?? {} };
  const child = spawn(process.execPath, [toPath('dist/src/service/kernel-process.js')], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  // The pipe stays open, because its end would stop the process.
  child.stdin.write(`${JSON.stringify({ ...job, memoryBytes: MEMORY_BYTES, checksOwnMemory: false })}\n`);
  const output = await text(child.stdout);
  if (!output.includes('"done"')) throw new Error(`The job ${operation} failed: ${output}`);
}

try {
  const [imported, repaired] = [path.join(folder, 'imported'), path.join(folder, 'repaired')];
  await runJob('import', toPath('samples/bracket.stl'), imported);
  await runJob('repair', imported, repaired);
  await runJob('thumbnail', imported, toPath('docs/pictures/bracket-before.png'));
  await runJob('thumbnail', repaired, toPath('docs/pictures/bracket-after.png'));
} finally {
  rmSync(folder, { recursive: true, force: true });
}
