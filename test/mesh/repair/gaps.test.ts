import should from 'should';
import type { IndexedMesh } from '../../../src/mesh/core/mesh.js';
import { GAPS } from '../../../src/mesh/repair/gaps.js';
import { repair } from '../../../src/mesh/repair/repair.js';
import { compareWithTruth } from '../models/compare-with-truth.js';
import { makeBox } from '../models/compositions.js';
import { makeHeightField } from '../models/height-field.js';
import { joined, turnedOver, without } from '../models/mesh-of.js';
import { createRandom } from '../models/random.js';
import { jitterCorners, makeFacesApart } from '../models/shapes/faces-apart.js';
import { createShapeCase } from '../models/shapes/shape-cases.js';
import { runStep } from './run-step.js';

const SEEDS = Array.from({ length: 10 }, (_, i) => i + 1);

const makeSquare = (count: number, z: number) => makeHeightField(count, () => z);

/** Creates a cube of 1 mm without its top. */
function makeOpenBox(x: number): IndexedMesh {
  const box = makeBox([x, 0, 0], [1, 1, 1]);
  const heightOf = (corner: number) => box.positions[(box.triangles[corner] ?? 0) * 3 + 2] ?? 0;
  const triangles = Array.from({ length: box.triangles.length / 3 }, (_, i) => i);
  return without(box, ...triangles.filter((i) => [0, 1, 2].every((k) => heightOf(i * 3 + k) > 0.5)));
}

/** Damages of faces that are apart. */
const DAMAGES: Readonly<Record<string, (mesh: IndexedMesh, random: () => number) => IndexedMesh>> = {
  'a missing triangle': (mesh, random) => without(mesh, Math.floor((random() * mesh.triangles.length) / 3)),
  'triangles turned over': (mesh, random) => {
    const triangles = Array.from({ length: mesh.triangles.length / 3 }, (_, i) => i);
    return turnedOver(mesh, 0, ...triangles.filter(() => random() < 0.1));
  },
  'triangles drawn twice': (mesh) =>
    joined(mesh, { ...mesh, triangles: mesh.triangles.slice(0, mesh.triangles.length > 30 ? 9 : 3) }),
};

describe('the step gaps', () => {
  it('leaves a closed mesh and a hole unchanged', () => {
    runStep(GAPS, makeBox([0, 0, 0], [1, 1, 1])).changed.should.equal(0);
    runStep(GAPS, makeOpenBox(0)).changed.should.equal(0);
  });

  it('reports how far it moved vertices', () => {
    const { damaged } = createShapeCase('faces apart', 3);
    const { maxDisplacementMm, analysis } = runStep(GAPS, damaged);
    analysis.badEdges.should.equal(0);
    const sizeMm = Math.hypot(analysis.dimensionXMm, analysis.dimensionYMm, analysis.dimensionZMm);
    maxDisplacementMm.should.be.within(1e-5 * sizeMm, 1.6e-3 * sizeMm);
  });

  for (const seed of SEEDS)
    for (const [damage, apply] of Object.entries(DAMAGES))
      it(`closes gaps between faces, also with ${damage} (seed ${seed})`, () => {
        const { damaged, truth } = createShapeCase('faces apart', seed);
        const { mesh } = repair(apply(damaged, createRandom(seed)));
        should.exist(truth);
        should(truth && compareWithTruth(mesh, truth, 0.005)).be.undefined();
      });

  it('is said if it makes the volume uncertain, as in a thin plate', () => {
    const codesOf = (thickness: number) => {
      const random = createRandom(4);
      const faces = makeFacesApart(random);
      const positions = faces.positions.map((value, i) => (i % 3 === 2 ? value * thickness : value));
      return repair(jitterCorners({ ...faces, positions }, 5e-4, random)).report.warnings.map(({ code }) => code);
    };
    codesOf(1).should.not.containEql('GAPS_CLOSED');
    codesOf(0.02).should.containEql('GAPS_CLOSED');
  });

  for (const thickness of [1e-3, 5e-4])
    for (const count of [1, 3, 20])
      it(`does not close the rim of a plate of ${thickness} of its size onto itself, in a grid of ${count}`, () => {
        const plate = joined(turnedOver(makeSquare(count, 0)), makeSquare(count, thickness));
        runStep(GAPS, plate).changed.should.equal(0);
      });

  it('does not close a strip that is narrower than a gap onto itself', () => {
    const strip = makeSquare(1, 0);
    const positions = strip.positions.map((value, i) => (i % 3 === 1 ? value * 5e-4 : value));
    runStep(GAPS, { ...strip, positions }).changed.should.equal(0);
  });

  for (const count of [2, 3])
    it(`does not join ${count} open bodies in a row`, () => {
      const bodies = joined(...Array.from({ length: count }, (_, i) => makeOpenBox(i * 1.001)));
      runStep(GAPS, bodies).changed.should.equal(0);
      repair(bodies).report.after.shells.should.equal(count);
    });
});
