import 'should';
import type { IndexedMesh } from '../../../src/mesh/core/mesh.js';
import { ORIENT_SHELLS } from '../../../src/mesh/repair/orient-shells.js';
import { repair } from '../../../src/mesh/repair/repair.js';
import { createContext } from '../../../src/mesh/repair/step.js';
import { createMeshState } from '../../../src/mesh/spatial/mesh-index.js';
import { toTaggedMesh } from '../../../src/mesh/topology/tagged-mesh.js';
import { makeBox } from '../models/compositions.js';
import { makeCube } from '../models/cube.js';
import { joined, meshOf, placed, turnedOver, without } from '../models/mesh-of.js';
import { createRandom } from '../models/random.js';
import { rotated } from '../models/transform.js';
import { runStep } from './run-step.js';

/** Creates a box with a cavity behind walls of 1 mm. */
function makeHollowBox(min: readonly number[], size: readonly number[]): IndexedMesh {
  const [from, inside] = [min.map((part) => part + 1), size.map((part) => part - 2)];
  return joined(makeBox(min, size), turnedOver(makeBox(from, inside)));
}

const inner = makeCube();
const middle = placed(makeCube(), [0.1, 0.2, 0.3], 3);
const outer = placed(makeCube(), [0, 0, 0], 9);

describe('the step shells', () => {
  it('turns an inverted shell outward', () => {
    runStep(ORIENT_SHELLS, turnedOver(inner)).should.containEql({ changed: 1, mesh: inner });
  });

  it('turns the inverted one of two shells side by side', () => {
    const two = joined(inner, placed(inner, [5, 0, 0]));
    runStep(ORIENT_SHELLS, turnedOver(two, ...Array.from({ length: 12 }, (_, i) => 12 + i))).mesh.should.deepEqual(two);
  });

  it('keeps a cavity and the body in it', () => {
    const nested = joined(outer, turnedOver(middle), inner);
    for (const mesh of [nested, rotated(nested)]) runStep(ORIENT_SHELLS, mesh).changed.should.equal(0);
  });

  it('leaves an outward body in another unchanged, for the self-union to merge', () => {
    runStep(ORIENT_SHELLS, joined(outer, inner)).changed.should.equal(0);
  });

  it('orients by nesting inside an inverted shell', () => {
    const nested = joined(outer, turnedOver(middle), inner);
    runStep(ORIENT_SHELLS, turnedOver(nested)).should.containEql({ changed: 3, mesh: nested });
    const inverted = joined(turnedOver(outer), turnedOver(middle), turnedOver(inner));
    const { analysis, changed } = runStep(ORIENT_SHELLS, inverted);
    changed.should.equal(2);
    analysis.boundsVolume.should.be.true();
  });

  it('winds a shell inside two that cross as in the file, if the file is inside out', () => {
    const crossing = joined(outer, placed(outer, [1, 2, 1.5]));
    for (const contained of [turnedOver(inner), inner]) {
      const mesh = joined(crossing, contained);
      runStep(ORIENT_SHELLS, turnedOver(mesh)).should.containEql({ changed: 3, mesh });
    }
  });

  for (const { name, bodies, volumeMm3 } of [
    {
      name: 'the wall of another hollow box',
      bodies: [makeHollowBox([0, 0, 0], [4, 4, 4]), makeHollowBox([0, 0, 0], [3, 4, 4])],
      volumeMm3: 60,
    },
    {
      name: 'a box in a corner of it',
      bodies: [makeHollowBox([0, 0, 0], [4, 4, 4]), makeBox([1, 1, 1], [1, 1, 1])],
      volumeMm3: 57,
    },
    {
      name: 'a box that reaches into its wall',
      bodies: [makeHollowBox([0, 0, 0], [4, 4, 4]), makeBox([0, 0, 0], [4, 2, 2])],
      volumeMm3: 58,
    },
    {
      name: 'the wall of a hollow box that crosses it',
      bodies: [makeHollowBox([0, 1, 1], [4, 3, 3]), makeHollowBox([1, 1, 1], [3, 4, 4])],
      volumeMm3: 56,
    },
  ]) {
    it(`keeps what is left of a cavity by ${name}`, () => {
      const { after, verdict } = repair(joined(...bodies)).report;
      verdict.level.should.equal('solid');
      after.volumeMm3.should.be.approximately(volumeMm3, volumeMm3 * 1e-4);
    });
  }

  it('leaves an open shell unchanged', () => {
    runStep(ORIENT_SHELLS, turnedOver(without(inner, 3))).changed.should.equal(0);
  });

  it('keeps the winding of the shells that are left at the limit of its work', () => {
    const random = createRandom(9);
    const createPoint = () => [0, 1, 2].map(() => 100 * (random() - 0.5));
    const needles = Array.from({ length: 1500 }, () => {
      const [start, end] = [createPoint(), createPoint()];
      const beside = (x: number, y: number) => [(start[0] ?? 0) + x, (start[1] ?? 0) + y, start[2] ?? 0];
      const tetrahedron = [
        [0, 1, 2],
        [0, 2, 3],
        [0, 3, 1],
        [1, 3, 2],
      ];
      return meshOf([end, start, beside(0.01, 0), beside(0, 0.01)], tetrahedron);
    });
    const run = (minRayTests: number) => {
      const { mesh, index } = createMeshState(toTaggedMesh(joined(...needles)));
      const context = createContext(100);
      const { notes } = ORIENT_SHELLS.run(mesh, { ...context, budget: { ...context.budget, minRayTests }, index });
      return { count: notes.count, warnings: (notes.warnings ?? []).map(({ code }) => code) };
    };
    const [limited, unlimited] = [run(0), run(Number.POSITIVE_INFINITY)];
    limited.warnings.should.deepEqual(['WORK_LIMIT_REACHED']);
    unlimited.warnings.should.be.empty();
    limited.count.should.be.within(1, unlimited.count - 1);
  });
});
