// The process that `bench/kernel.ts` measures: reads a model, repairs it and writes the result as STL, then as OFF with
// full precision for the judge, and optionally the input as STL for tools that read nothing else. Prints its figures as
// one line of JSON: the times exclude the loading of the program. With `WARM_UP=1`, it warms up before, as a kernel
// process of the service that waits for its first job.
import { closeSync, openSync, readFileSync, writeFileSync, writeSync } from 'node:fs';
import { fitToFormat } from '../../src/mesh/formats/fit-to-format.js';
import { parseModel } from '../../src/mesh/formats/parse-model.js';
import { serializeModel } from '../../src/mesh/formats/serialize-model.js';
import { repair } from '../../src/mesh/repair/repair.js';
import { warmUp } from '../../src/service/kernel/warm-up.js';

const [source = '', stl = '', off = '', inputStl = ''] = process.argv.slice(2);

function write(file: string, chunks: Iterable<Uint8Array>): void {
  const descriptor = openSync(file, 'w');
  for (const chunk of chunks) writeSync(descriptor, chunk);
  closeSync(descriptor);
}

const run = async (): Promise<void> => {
  if (process.env.WARM_UP === '1') for await (const _ of warmUp());
  const start = performance.now();
  const { mesh } = await parseModel(readFileSync(source), { filename: source });
  const read = performance.now();
  const { mesh: repaired, report } = repair(mesh);
  const done = performance.now();
  const fit = fitToFormat(repaired, 'stl');
  write(stl, serializeModel(fit.mesh, 'stl'));
  const written = performance.now();
  if (off !== '') write(off, serializeModel(repaired, 'off'));
  if (inputStl !== '') write(inputStl, serializeModel(mesh, 'stl'));
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
