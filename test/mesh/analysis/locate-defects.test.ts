import 'should';
import { analyzeWithPlaces } from '../../../src/mesh/analysis/analyze.js';
import type { IndexedMesh } from '../../../src/mesh/core/mesh.js';
import { makeCube } from '../models/cube.js';
import { joined, meshOf, placed, turnedOver, without } from '../models/mesh-of.js';
import { makeTorus } from '../models/torus.js';

function placesOf(mesh: IndexedMesh) {
  return analyzeWithPlaces(mesh).places;
}
function countsOf(mesh: IndexedMesh) {
  const counts: Record<string, number> = {};
  for (const { defect } of placesOf(mesh)) counts[defect] = (counts[defect] ?? 0) + 1;
  return counts;
}

describe('locateDefects', () => {
  it('returns nothing for a solid', () => {
    placesOf(makeCube()).should.be.empty();
  });

  it('returns the midpoint and length of each edge of a hole', () => {
    const places = placesOf(without(makeCube(), 2)); // the triangle 4 5 6 of the top
    places.should.have.length(3);
    places.should.containEql({ defect: 'boundaryEdge', x: 0, y: -1, z: 1, sizeMm: 2 });
    places.should.containEql({ defect: 'boundaryEdge', x: 1, y: 0, z: 1, sizeMm: 2 });
    places.should.containEql({ defect: 'boundaryEdge', x: 0, y: 0, z: 1, sizeMm: Math.sqrt(8) });
  });

  it('locates inconsistently wound edges and edges of three triangles', () => {
    countsOf(turnedOver(makeCube(), 5)).should.deepEqual({ inconsistentEdge: 3 });
    const fin = meshOf([...corners(makeCube()), [5, 0, 0]], [...trianglesOf(makeCube()), [0, 1, 8]]);
    countsOf(fin).should.containEql({ nonManifoldEdge: 1, boundaryEdge: 2 });
  });

  it('returns the centroid and longest side of triangles that cross others', () => {
    const places = placesOf(
      meshOf(
        [
          [0, 0, 0],
          [6, 0, 0],
          [0, 6, 0],
          [1, 1, -3],
          [1, 1, 3],
          [4, 1, 3],
        ],
        [
          [0, 1, 2],
          [3, 4, 5],
        ],
      ),
    ).filter(({ defect }) => defect === 'intersectingTriangle');
    places.should.containEql({ defect: 'intersectingTriangle', x: 2, y: 2, z: 0, sizeMm: Math.hypot(6, 6) });
    places.should.have.length(2);
  });

  it('locates overlapping triangles and degenerate triangles', () => {
    const doubled = joined(makeCube(), makeCube());
    (countsOf(doubled).overlappingTriangle ?? 0).should.equal(24);
    const flat = meshOf([...corners(makeCube()), [0, -1, -1]], [...trianglesOf(makeCube()), [0, 8, 1]]);
    placesOf(flat).should.containEql({ defect: 'degenerateTriangle', x: 0, y: -1, z: -1, sizeMm: 2 });
  });

  it('returns at most 100 places of a kind, spread over the mesh', () => {
    const opened = without(makeTorus(90, 40), ...Array.from({ length: 360 }, (_, i) => i * 20));
    const places = placesOf(joined(opened, placed(opened, [200, 0, 0]))).filter(
      ({ defect }) => defect === 'boundaryEdge',
    );
    places.should.have.length(100);
    places.filter(({ x }) => x > 100).length.should.be.within(30, 70);
  });

  it('omits defects at vertices that are not finite', () => {
    const notFinite = {
      ...without(makeCube(), 2),
      positions: makeCube().positions.map((v, i) => (i === 12 ? Number.NaN : v)),
    };
    placesOf(notFinite)
      .every(({ x, sizeMm }) => Number.isFinite(x) && Number.isFinite(sizeMm))
      .should.be.true();
  });
});

function corners({ positions }: IndexedMesh): number[][] {
  return Array.from({ length: positions.length / 3 }, (_, i) => [...positions.subarray(i * 3, i * 3 + 3)]);
}

function trianglesOf({ triangles }: IndexedMesh): number[][] {
  return Array.from({ length: triangles.length / 3 }, (_, i) => [...triangles.subarray(i * 3, i * 3 + 3)]);
}
