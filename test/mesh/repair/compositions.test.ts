import 'should';
import { parseModelSync } from '../../../src/mesh/formats/parse-model.js';
import { serializeModel } from '../../../src/mesh/formats/serialize-model.js';
import { repair } from '../../../src/mesh/repair/repair.js';
import { countOf } from '../../helpers/counts.js';
import { joinBodies, makeComposition } from '../models/compositions.js';
import { loadUnion, type MeasureUnion } from '../models/union-volume.js';

const COUNT = countOf('compositions of bodies');
const FIRST_SEED = 1;
/** format and file extension, and whether the bodies are written as objects */
const FORMATS: readonly (readonly [format: string, extension: string, hasObjects: boolean])[] = [
  ['stl', 'stl', false],
  ['stl-ascii', 'stl', false],
  ['ply', 'ply', false],
  ['off', 'off', false],
  ['obj', 'obj', false],
  ['obj', 'obj', true],
  ['3mf', '3mf', false],
  ['3mf', '3mf', true],
  ['amf', 'amf', false],
  ['amf', 'amf', true],
  ['glb', 'glb', false],
  ['glb', 'glb', true],
];
/** The vertices of intersecting triangles move by up to a millionth of the diagonal along each axis. */
const TOLERANCE = 1e-4;

/** Returns what is wrong with the repair of a composition, or `undefined`. */
function describeError(seed: number, measureUnion: MeasureUnion): string | undefined {
  const bodies = makeComposition(seed);
  const [format, extension, hasObjects] = FORMATS[seed % FORMATS.length] ?? ['stl', 'stl', false];
  const file = Buffer.concat([...serializeModel(joinBodies(bodies, hasObjects), format)]);
  const { report } = repair(parseModelSync(file, { filename: `model.${extension}` }).mesh);
  const [truthMm3, volumeMm3] = [measureUnion(bodies), report.after.volumeMm3];
  const isWrong = Math.abs(volumeMm3 - truthMm3) > TOLERANCE * truthMm3;
  if (!isWrong || report.verdict.needsRepair) return undefined;
  const kinds = bodies.map(({ kind }) => kind).join(', ');
  return `composition ${seed} as ${format}${hasObjects ? ' with objects' : ''} (${kinds}): ${volumeMm3} mm³, not ${truthMm3}`;
}

describe('repair of compositions of bodies that touch or contain each other', function () {
  this.timeout(300_000 + COUNT * 1000);
  let measureUnion: MeasureUnion;

  before(async () => {
    measureUnion = await loadUnion();
  });

  for (let first = 0; first < COUNT; first += 100) {
    const seeds = Array.from({ length: Math.min(100, COUNT - first) }, (_, i) => FIRST_SEED + first + i);
    it(`keeps the volume of their union, or says so: compositions ${seeds[0]} to ${seeds.at(-1)}`, () => {
      seeds.flatMap((seed) => describeError(seed, measureUnion) ?? []).should.deepEqual([]);
    });
  }
});
