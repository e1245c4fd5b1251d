import should from 'should';
import { analyzeWithPlaces } from '../../../src/mesh/analysis/analyze.js';
import { analyzeModel } from '../../../src/mesh/analysis/analyze-parts.js';
import type { IndexedMesh } from '../../../src/mesh/core/mesh.js';
import { createPreview } from '../../../src/mesh/preview/create-preview.js';
import { DistanceQuery } from '../../../src/mesh/spatial/distance-query.js';
import { makeBox } from '../models/compositions.js';
import { makeCube } from '../models/cube.js';
import { joined, placed, turnedOver, without } from '../models/mesh-of.js';
import { joinObjects } from '../models/objects.js';
import { samplePoints } from '../models/sample-points.js';
import { makeTorus } from '../models/torus.js';

/** Returns triangles that share no vertices, on the surface of the mesh or, if it is `shrunk`, much smaller. */
function separate({ positions, triangles }: IndexedMesh, shrink = 1): IndexedMesh {
  const corners = Float64Array.from({ length: triangles.length * 3 }, (_, i) => {
    const first = Math.floor(i / 9) * 3;
    const at = (corner: number) => positions[(triangles[corner] ?? 0) * 3 + (i % 3)] ?? Number.NaN;
    return at(first) + (at(Math.floor(i / 3)) - at(first)) * shrink;
  });
  return { positions: corners, triangles: Uint32Array.from({ length: triangles.length }, (_, i) => i) };
}

function countTriangles({ triangles }: Pick<IndexedMesh, 'triangles'>): number {
  return triangles.length / 3;
}

describe('createPreview', () => {
  it('keeps a mesh within the limit as it is, without a coarse surface', async () => {
    const cube = makeCube();
    const { surface, coarseSurface, deviationMm, defects } = await createPreview(cube, { maxTriangles: 12 });
    surface.should.equal(cube);
    should(coarseSurface).be.undefined();
    deviationMm.should.equal(0);
    defects.should.be.empty();
  });

  it('simplifies a larger mesh to the limit, and estimates how far it deviates', async () => {
    const torus = makeTorus(200, 100);
    const { surface, deviationMm } = await createPreview(torus, { maxTriangles: 5000 });
    countTriangles(surface).should.be.belowOrEqual(5000).and.above(4900);
    let farthestMm = 0;
    const query = new DistanceQuery(torus);
    samplePoints({ ...surface }, 5000, (x, y, z) => {
      farthestMm = Math.max(farthestMm, query.distanceAt(x, y, z));
    });
    deviationMm.should.be.above(farthestMm / 3).and.below(farthestMm * 3);
  });

  it('adds a coarse surface of at most 20,000 triangles', async () => {
    const { surface, coarseSurface } = await createPreview(makeTorus(200, 100), { maxTriangles: 30_000 });
    countTriangles(surface).should.be.within(29_000, 30_000);
    should(coarseSurface && countTriangles(coarseSurface)).be.within(19_000, 20_000);
  });

  it('simplifies a surface of unconnected triangles to the limit', async () => {
    const soup = separate(makeTorus(200, 100));
    const { surface, deviationMm } = await createPreview(soup, { maxTriangles: 10_000 });
    countTriangles(surface).should.be.within(5000, 10_000);
    deviationMm.should.be.above(0).and.below(6);
  });

  it('shows a sample of triangles that are too small for the grid', async () => {
    const dust = separate(makeTorus(200, 100), 1e-4);
    const { surface } = await createPreview(dust, { maxTriangles: 10_000 });
    countTriangles(surface).should.equal(10_000);
  });

  it('takes the defects from the mesh before its simplification', async () => {
    const torus = without(turnedOver(makeTorus(100, 50), 5000), 0);
    const { defects, surface } = await createPreview(torus, { maxTriangles: 1000 });
    countTriangles(surface).should.be.belowOrEqual(1000);
    defects.should.match([
      { kind: 'boundaryEdge', count: 3, countShown: 3, verticesPerElement: 2 },
      { kind: 'inconsistentEdge', count: 3, countShown: 3, verticesPerElement: 2 },
    ]);
    should(defects[0]?.vertices).have.length(6);
  });

  it('counts each kind as the analysis does', async () => {
    const mesh = joined(
      makeCube(),
      makeCube(),
      placed(makeCube(), [0.5, 0.4, 0.3]),
      placed(makeTorus(8, 5), [0, 0, 50]),
    );
    mesh.triangles.set([0, 1, 1], mesh.triangles.length - 3);
    const { qualityParams, ...analysis } = analyzeWithPlaces(mesh).analysis;
    const { defects } = await createPreview(mesh, { maxTriangles: 1000 });
    const counts = Object.fromEntries(defects.map(({ kind, count }) => [kind, count]));
    counts.should.deepEqual({
      boundaryEdge: analysis.boundaryEdges,
      ...(analysis.nonManifoldEdges > 0 && { nonManifoldEdge: analysis.nonManifoldEdges }),
      ...(analysis.inconsistentEdges > 0 && { inconsistentEdge: analysis.inconsistentEdges }),
      intersectingTriangle: qualityParams.intersectingTriangles,
      overlappingTriangle: qualityParams.overlappingTriangles,
      degenerateTriangle: 1,
    });
  });

  it('shows 20,000 defects of a kind, evenly sampled, and counts all', async () => {
    const soup = separate(makeTorus(100, 50), 0.5);
    const { defects } = await createPreview(soup, { maxTriangles: 1000 });
    should(defects[0]).match({ kind: 'boundaryEdge', count: 30_000, countShown: 20_000 });
    should(defects[0]?.vertices.length).equal(40_000);
    should(Math.max(...(defects[0]?.vertices ?? []))).be.above(29_990);
  });

  it('does not search for defects that the analysis does not count', async () => {
    const open = without(makeCube(), 2);
    const analyzed = analyzeWithPlaces(makeCube());
    (await createPreview(open, { maxTriangles: 1000, analyzed })).defects.should.be.empty();
    (await createPreview(open, { maxTriangles: 1000 })).defects.should.have.length(1);
  });

  for (const [name, factor, offset] of [
    ['of 0.0001 mm', 1e-5, 0],
    ['of 10 km', 1e6, 0],
    ['a kilometer from the origin', 1, 1e6],
  ] as const) {
    it(`simplifies a model ${name} like one at the origin`, async () => {
      const torus = makeTorus(100, 50);
      const expected = await createPreview(torus, { maxTriangles: 2000 });
      const moved = await createPreview(placed(torus, [offset, offset, offset], factor), { maxTriangles: 2000 });
      countTriangles(moved.surface).should.be.within(1900, 2000);
      should(moved.deviationMm / factor).be.approximately(expected.deviationMm, expected.deviationMm / 10);
    });
  }

  it('shows the defects of each part by itself, not their contact', async () => {
    const [left, right] = [makeBox([0, 0, 0], [1, 1, 1]), makeBox([1, 0, 0], [1, 1, 1])];
    const touching = joinObjects(left, right);
    const solid = await createPreview(touching, { maxTriangles: 1000, analyzed: analyzeModel(touching) });
    solid.defects.should.deepEqual([]);
    const open = joinObjects(left, without(right, 0));
    const { defects } = await createPreview(open, { maxTriangles: 1000, analyzed: analyzeModel(open) });
    defects.map(({ kind, count, countShown }) => [kind, count, countShown]).should.deepEqual([['boundaryEdge', 3, 3]]);
    for (const vertex of defects[0]?.vertices ?? []) should(open.positions[vertex * 3]).be.aboveOrEqual(1);
  });
});
