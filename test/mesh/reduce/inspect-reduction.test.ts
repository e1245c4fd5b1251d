import should from 'should';
import { analyzeWithPlaces } from '../../../src/mesh/analysis/analyze.js';
import type { IndexedMesh } from '../../../src/mesh/core/mesh.js';
import { findIntersectionsOf } from '../../../src/mesh/intersections/mark-intersecting.js';
import { inspectReduction } from '../../../src/mesh/reduce/inspect-reduction.js';
import { createMeshIndex } from '../../../src/mesh/spatial/mesh-index.js';
import { makeCube } from '../models/cube.js';
import { makeDiagonalRods } from '../models/diagonal-rods.js';
import { joined, meshOf, placed } from '../models/mesh-of.js';
import { makeTorus } from '../models/torus.js';

const SOLID = { level: 'solid', intersectingTriangles: 0, overlappingTriangles: 0, isComplete: true } as const;

/** Marks some triangles of a mesh. */
function mark(mesh: IndexedMesh, isMarked: (triangle: number) => boolean): Uint8Array {
  return Uint8Array.from({ length: mesh.triangles.length / 3 }, (_, triangle) => (isMarked(triangle) ? 1 : 0));
}

describe('inspectReduction', () => {
  // The second torus crosses the first.
  const crossing = joined(makeTorus(40, 20), placed(makeTorus(40, 20), [3, 0, 0]));
  const count = makeTorus(40, 20).triangles.length / 3;

  it('finds the changed triangles of a solid that intersect others, and those others', () => {
    const { analyzed, intersecting } = inspectReduction(
      createMeshIndex(crossing),
      SOLID,
      mark(crossing, (triangle) => triangle >= count),
      true,
    );
    should(analyzed).be.undefined();
    should(intersecting.some((triangle) => triangle < count)).be.true();
    should(intersecting.some((triangle) => triangle >= count)).be.true();
  });

  it('finds the same among few changed triangles as among all', () => {
    const inspect = (isMarked: (triangle: number) => boolean) =>
      inspectReduction(createMeshIndex(crossing), SOLID, mark(crossing, isMarked), true).intersecting;
    const all = inspect(() => true);
    const few = all.filter((triangle) => triangle >= count).slice(0, 5);
    const found = inspect((triangle) => few.includes(triangle));
    should(found.filter((triangle) => triangle >= count)).deepEqual(few);
    for (const triangle of found) all.should.containEql(triangle);
  });

  it('analyzes a solid as if all of its triangles had changed', () => {
    const two = joined(makeCube(), placed(makeCube(), [50, 0, 0]));
    const { analyzed } = inspectReduction(
      createMeshIndex(two),
      SOLID,
      mark(two, (triangle) => triangle === 0),
      true,
    );
    should(analyzed).deepEqual(analyzeWithPlaces(two));
  });

  it('returns no analysis of a mesh with more overlapping triangles, although fewer cross', () => {
    const stacked = joined(makeCube(), placed(makeCube(), [0.5, 0.5, 2]));
    const { qualityParams } = analyzeWithPlaces(stacked).analysis;
    should(qualityParams.overlappingTriangles).be.above(0);
    const inspect = (overlappingTriangles: number) =>
      inspectReduction(
        createMeshIndex(stacked),
        { level: 'manifold', intersectingTriangles: 100, overlappingTriangles, isComplete: true },
        new Uint8Array(24),
        true,
      );
    should(inspect(qualityParams.overlappingTriangles).analyzed).not.be.undefined();
    should(inspect(0).analyzed).be.undefined();
    should(inspect(0).intersecting.length).be.above(0);
  });

  describe('if the search stops at its limit', () => {
    // That of a closed surface would go on with another tree.
    const triangle = meshOf(
      [
        [0, 0, 900],
        [1, 0, 900],
        [0, 1, 900],
      ],
      [[0, 1, 2]],
    );
    const rods = joined(makeDiagonalRods(22), triangle);
    const all = mark(rods, () => true);

    it('returns no analysis of what was a solid, although no intersection was found', () => {
      const { analyzed, intersecting, isComplete } = inspectReduction(createMeshIndex(rods), SOLID, all, true);
      should(analyzed).be.undefined();
      intersecting.should.deepEqual([]);
      isComplete.should.be.false();
    });

    it('returns the intersections that were found until then', () => {
      const both = joined(rods, placed(rods, [0.1, 0, 0]));
      const inspection = inspectReduction(
        createMeshIndex(both),
        SOLID,
        mark(both, () => true),
        true,
      );
      should(inspection.analyzed).be.undefined();
      should(inspection.intersecting.length).be.above(0);
      inspection.isComplete.should.be.false();
    });

    it('analyzes what was not a solid only if the search of the original mesh was incomplete, too', () => {
      const inspect = (isComplete: boolean) => {
        const index = createMeshIndex(crossing);
        const none = new Uint32Array(0);
        index.provide(findIntersectionsOf, { crossing: none, overlapping: none, checkedPairs: 1, isComplete: false });
        return inspectReduction(
          index,
          { level: 'manifold', intersectingTriangles: 4, overlappingTriangles: 0, isComplete },
          new Uint8Array(0),
          true,
        );
      };
      should(inspect(true).analyzed).be.undefined();
      inspect(true).isComplete.should.be.false();
      should(inspect(false).analyzed?.analysis.isIntersectionCheckComplete).be.false();
    });
  });

  it('returns no analysis of a mesh that is worse without an intersection', () => {
    const open = makeCube();
    const { analyzed, intersecting } = inspectReduction(
      createMeshIndex({ ...open, triangles: open.triangles.slice(3) }),
      SOLID,
      new Uint8Array(11),
      true,
    );
    should(analyzed).be.undefined();
    intersecting.should.deepEqual([]);
  });
});
