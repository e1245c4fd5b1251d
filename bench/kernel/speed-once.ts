// The process that `bench/kernel/speed.ts` measures, excluding its loading. Arguments: `read FILE`, `repair FILE` or
// `write FILE FORMAT TARGET`, which also writes the same bytes again. Prints one line of JSON.
import { closeSync, openSync, readFileSync, writeFileSync, writeSync } from 'node:fs';
import { fitToFormat } from '../../src/mesh/formats/fit-to-format.js';
import { parseModel } from '../../src/mesh/formats/parse-model.js';
import { serializeModel } from '../../src/mesh/formats/serialize-model.js';
import { repair } from '../../src/mesh/repair/repair.js';

const [command = '', file = '', format = '', target = ''] = process.argv.slice(2);

function write(chunks: Iterable<Uint8Array>): number {
  const start = performance.now();
  const descriptor = openSync(target, 'w');
  for (const chunk of chunks) writeSync(descriptor, chunk);
  closeSync(descriptor);
  return performance.now() - start;
}

async function run(): Promise<object> {
  const start = performance.now();
  const { mesh } = await parseModel(readFileSync(file), { filename: file });
  const read = performance.now();
  if (command === 'read') return { ms: read - start };
  if (command === 'repair') {
    const { report } = repair(mesh);
    const peakMb = process.resourceUsage().maxRSS / 1024;
    return { ms: performance.now() - read, peakMb, level: report.verdict.level };
  }
  const { mesh: fit } = fitToFormat(mesh, format);
  const ms = write(serializeModel(fit, format));
  // The file exists now: both runs overwrite one of the same size.
  const bytes = readFileSync(target);
  return {
    ms: Math.min(ms, write(serializeModel(fit, format))),
    sameBytesMs: Math.min(write([bytes]), write([bytes])),
  };
}

run().then(
  (result) => writeFileSync(1, JSON.stringify(result)),
  (error: unknown) => {
    console.error(error);
    process.exitCode = 1;
  },
);
