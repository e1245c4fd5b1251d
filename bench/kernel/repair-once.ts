// The process that `bench/kernel.ts` measures: reads a model, repairs it and writes the result as STL; then, for the judge, as OFF, which keeps
// every digit, and for tools that read nothing else the model as it came as STL.
// Prints what it found out as one line of JSON. `readMs` and `repairMs` are counted from when the program has been loaded.
import { closeSync, openSync, readFileSync, writeFileSync, writeSync } from 'node:fs';
import { fitToFormat } from '../../src/mesh/formats/fit-to-format.js';
import { parseModel } from '../../src/mesh/formats/parse-model.js';
import { serializeModel } from '../../src/mesh/formats/serialize-model.js';
import { repair } from '../../src/mesh/repair/repair.js';

const [source = '', stl = '', off = '', untouched = ''] = process.argv.slice(2);

function write(file: string, chunks: Iterable<Uint8Array>): void {
  const descriptor = openSync(file, 'w');
  for (const chunk of chunks) writeSync(descriptor, chunk);
  closeSync(descriptor);
}

const run = async (): Promise<void> => {
  const start = performance.now();
  const { mesh } = await parseModel(readFileSync(source), { filename: source });
  const read = performance.now();
  const { mesh: repaired, report } = repair(mesh);
  const done = performance.now();
  const fit = fitToFormat(repaired, 'stl');
  write(stl, serializeModel(fit.mesh, 'stl'));
  const written = performance.now();
  if (off !== '') write(off, serializeModel(repaired, 'off'));
  if (untouched !== '') write(untouched, serializeModel(mesh, 'stl'));
  const times = { readMs: read - start, repairMs: done - read, wholeMs: written - start };
  const peakMb = process.resourceUsage().maxRSS / 1024;
  const { level } = report.verdict;
  const stlLevel = fit.report?.verdict.level ?? level;
  writeFileSync(1, JSON.stringify({ ...times, peakMb, level, stlLevel, triangles: mesh.triangles.length / 3 }));
};

run().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
