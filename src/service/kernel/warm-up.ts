import { analyzeWithPlaces } from '../../mesh/analysis/analyze.js';
import { fitToFormat } from '../../mesh/formats/fit-to-format.js';
import { parseInternal, serializeInternal } from '../../mesh/formats/internal-format.js';
import { parseModel } from '../../mesh/formats/parse-model.js';
import { serializeModel } from '../../mesh/formats/serialize-model.js';
import { repair } from '../../mesh/repair/repair.js';
import { createWarmUpModel } from './warm-up-model.js';

// Measured with a model of 9,850 triangles, time of the processor in ms for rehearsal, import and repair: no round 0, 190, 340; four 110, 120, 230;
// nine 260, 50, 97. Sixteen rounds bring no more than that. Bodies that cross would take as long again, and bring a tenth.
const ROUNDS = 9;

function concat(pieces: Iterable<Uint8Array>): Uint8Array {
  return Buffer.concat([...pieces]);
}

/**
 * Does what the usual jobs do, import, repair and export, on a small model of its own and in memory, again and again: Node runs code several times as
 * fast when that has run a while. Gives way after each step of some milliseconds.
 */
export async function* warmUp(): AsyncGenerator<void> {
  const stl = createWarmUpModel();
  for (let round = 0; round < ROUNDS; round++) {
    const { mesh } = await parseModel(stl, { filename: 'rehearsal.stl' });
    yield;
    const imported = concat(serializeInternal(mesh, analyzeWithPlaces(mesh)));
    yield;
    const stored = parseInternal(imported);
    const repaired = repair(stored, { precomputed: stored.analyzed });
    yield;
    const kept = parseInternal(concat(serializeInternal(repaired.mesh, repaired.analyzed)));
    concat(serializeModel(fitToFormat(kept, 'stl').mesh, 'stl'));
    yield;
  }
}
