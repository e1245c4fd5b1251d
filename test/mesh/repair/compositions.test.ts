import 'should';
import type { RepairResult } from '../../../src/mesh/analysis/repair-result.js';
import type { IndexedMesh } from '../../../src/mesh/core/mesh.js';
import { parseModelSync } from '../../../src/mesh/formats/parse-model.js';
import { serializeModel } from '../../../src/mesh/formats/serialize-model.js';
import { measureGroups } from '../../../src/mesh/geometry/measure-groups.js';
import { repairParts } from '../../../src/mesh/repair/repair-parts.js';
import { repairUnited } from '../../../src/mesh/repair/repair-united.js';
import { toTaggedMesh } from '../../../src/mesh/topology/tagged-mesh.js';
import { countOf } from '../../helpers/counts.js';
import { type ComposedBody, joinBodies, makeComposition } from '../models/compositions.js';
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

/** A composition as it is in a file. */
interface Case {
  name: string;
  bodies: readonly ComposedBody[];
  mesh: IndexedMesh;
  hasObjects: boolean;
}

function makeCase(seed: number): Case {
  const bodies = makeComposition(seed);
  const [format, extension, hasObjects] = FORMATS[seed % FORMATS.length] ?? ['stl', 'stl', false];
  const file = Buffer.concat([...serializeModel(joinBodies(bodies, hasObjects), format)]);
  const { mesh } = parseModelSync(file, { filename: `model.${extension}` });
  const kinds = bodies.map(({ kind }) => kind).join(', ');
  const name = `composition ${seed} as ${format}${hasObjects ? ' with objects' : ''} (${kinds})`;
  return { name, bodies, mesh, hasObjects };
}

/** Compares a volume with the truth. Any volume is right if the verdict says that the model needs repair. */
function compare(name: string, volumeMm3: number, truthMm3: number, { report }: RepairResult): string[] {
  const isWrong = Math.abs(volumeMm3 - truthMm3) > TOLERANCE * truthMm3;
  return isWrong && !report.verdict.needsRepair ? [`${name}: ${volumeMm3} mm³, not ${truthMm3}`] : [];
}

/** Lists what is wrong with a repair that unites all bodies. */
function checkUnited({ name, bodies, mesh }: Case, measureUnion: MeasureUnion): string[] {
  const result = repairUnited(mesh);
  return compare(`${name}, united`, result.report.after.volumeMm3, measureUnion(bodies), result);
}

/** Lists what is wrong with a repair that keeps the bodies as parts: the volume of each, by its name. */
function checkKept({ name, bodies, mesh }: Case, measureUnion: MeasureUnion): string[] {
  const result = repairParts(mesh);
  const { objects = [] } = result.mesh;
  const { objectOf } = toTaggedMesh(result.mesh);
  const { volumeMm3 } = measureGroups(result.mesh, objectOf, objects.length + 1);
  const truths = bodies.map((body) => measureUnion([body]));
  const total = truths.reduce((sum, truthMm3) => sum + truthMm3, 0);
  return [
    ...compare(`${name}, kept`, result.report.after.volumeMm3, total, result),
    ...bodies.flatMap(({ kind }, i) => {
      const part = `${kind} ${i + 1}`;
      const index = objects.findIndex((object) => object.name === part);
      return compare(`${name}, ${part}`, index < 0 ? 0 : (volumeMm3[index + 1] ?? 0), truths[i] ?? 0, result);
    }),
  ];
}

function findErrors(seed: number, measureUnion: MeasureUnion): string[] {
  const each = makeCase(seed);
  return [...checkUnited(each, measureUnion), ...(each.hasObjects ? checkKept(each, measureUnion) : [])];
}

describe('repair of compositions of bodies that touch or contain each other', function () {
  this.timeout(300_000 + COUNT * 1000);
  let measureUnion: MeasureUnion;

  before(async () => {
    measureUnion = await loadUnion();
  });

  for (let first = 0; first < COUNT; first += 100) {
    const seeds = Array.from({ length: Math.min(100, COUNT - first) }, (_, i) => FIRST_SEED + first + i);
    it(`keeps the volume of their union or, as parts, of each, or says so: compositions ${seeds[0]} to ${seeds.at(-1)}`, () => {
      seeds.flatMap((seed) => findErrors(seed, measureUnion)).should.deepEqual([]);
    });
  }
});
