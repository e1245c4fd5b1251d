// The process that `bench/slicer.ts` measures: reads a model, hollows it and writes it as OFF with full precision for the
// judge: `hollow-once FILE OFF WALL_MM`. Prints its figures as one line of JSON. `hollowMs` is the time of the hollowing
// alone, the first one of the process, with the check of its result.
import { readFileSync, writeFileSync } from 'node:fs';
import { analyzeWithPlaces } from '../../src/mesh/analysis/analyze.js';
import { MeshError } from '../../src/mesh/core/mesh-error.js';
import { parseModel } from '../../src/mesh/formats/parse-model.js';
import { serializeModel } from '../../src/mesh/formats/serialize-model.js';
import { hollow } from '../../src/mesh/hollow/hollow.js';
import { reduceSolid } from '../../src/mesh/reduce/reduce-triangles.js';

const [source = '', target = '', wallMm = ''] = process.argv.slice(2);

const run = async (): Promise<void> => {
  const { mesh } = await parseModel(readFileSync(source), { filename: source });
  const analyzed = analyzeWithPlaces(mesh);
  const start = performance.now();
  let cavityCount = 0;
  let result = mesh;
  try {
    ({ mesh: result, cavityCount } = hollow(mesh, analyzed, { wallMm: Number(wallMm), reduce: reduceSolid }));
  } catch (error) {
    if (!(error instanceof MeshError) || error.code !== 'NOTHING_LEFT') throw error;
  }
  const hollowMs = performance.now() - start;
  writeFileSync(target, Buffer.concat([...serializeModel(result, 'off')]));
  writeFileSync(1, JSON.stringify({ hollowMs, cavityCount }));
};

run().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
