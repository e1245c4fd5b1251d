import should from 'should';
import { analyze } from '../../../src/mesh/analysis/analyze.js';
import { verdictOf } from '../../../src/mesh/analysis/verdict.js';
import type { IndexedMesh } from '../../../src/mesh/core/mesh.js';
import { makeCube } from '../models/cube.js';
import { joined, meshOf, placed, turnedOver, without } from '../models/mesh-of.js';
import { makeTorus } from '../models/torus.js';
import { rotated, shuffled } from '../models/transform.js';

function levelOf(mesh: IndexedMesh) {
  return verdictOf(analyze(mesh)).level;
}
function reasonsOf(mesh: IndexedMesh) {
  return verdictOf(analyze(mesh)).reasons;
}

describe('analyze', () => {
  it('measures the size, area and volume of a cube of 2 mm', () => {
    const cube = analyze(makeCube());
    cube.vertices.should.equal(8);
    cube.triangles.should.equal(12);
    cube.shells.should.equal(1);
    cube.contours.should.equal(0);
    cube.volumeMm3.should.be.approximately(8, 1e-12);
    cube.surfaceAreaMm2.should.be.approximately(24, 1e-12);
    [cube.dimensionXMm, cube.dimensionYMm, cube.dimensionZMm].should.deepEqual([2, 2, 2]);
    cube.boxMm.should.deepEqual({ min: [-1, -1, -1], max: [1, 1, 1] });
    cube.badEdges.should.equal(0);
    cube.qualityParams.isFacetingScoreOk.should.be.true();
  });

  it('finds a torus of 20,000 triangles solid ten million sizes from zero', () => {
    levelOf(placed(makeTorus(100, 100), [6e8, -4e8, 2e8])).should.equal('solid');
  });

  it('returns the same counts for a torus that is rotated, moved, scaled, shuffled or inverted', () => {
    const countsOf = ({
      volumeMm3,
      surfaceAreaMm2,
      boxMm,
      dimensionXMm,
      dimensionYMm,
      dimensionZMm,
      ...counts
    }: ReturnType<typeof analyze>) => counts;
    const torus = makeTorus();
    const reference = analyze(torus);
    for (const changed of [rotated(torus), placed(torus, [1e3, -1e4, 7], 0.001), shuffled(torus), turnedOver(torus)]) {
      const { solidityParams, boundsVolume, ...counts } = countsOf(analyze(changed));
      const { solidityParams: _, boundsVolume: __, ...referenceCounts } = countsOf(reference);
      counts.should.deepEqual(referenceCounts);
    }
    analyze(rotated(torus)).volumeMm3.should.be.approximately(reference.volumeMm3, reference.volumeMm3 * 1e-12);
    analyze(placed(torus, [1e4, 0, 0], 3)).volumeMm3.should.be.approximately(
      reference.volumeMm3 * 27,
      reference.volumeMm3 * 1e-6,
    );
    analyze(turnedOver(torus)).volumeMm3.should.be.approximately(-reference.volumeMm3, reference.volumeMm3 * 1e-12);
  });

  it('counts boundary edges and the loops that they form', () => {
    const opened = analyze(without(makeCube(), 0, 2, 3));
    opened.boundaryEdges.should.equal(3 + 4);
    opened.badEdges.should.equal(7);
    opened.contours.should.equal(2);
    opened.badContours.should.equal(2);
    opened.solidityParams.planarHoles.should.equal(2);
  });

  it('does not count a loop as planar if it does not lie in a plane', () => {
    const opened = analyze(without(makeCube(), 2, 3, 4, 5));
    opened.contours.should.equal(1);
    opened.solidityParams.planarHoles.should.equal(0);
  });

  it('counts edges with two triangles of contradicting winding as bad edges', () => {
    const conflicting = analyze(turnedOver(makeCube(), 2));
    conflicting.boundaryEdges.should.equal(0);
    conflicting.inconsistentEdges.should.equal(3);
    conflicting.badEdges.should.equal(3);
  });

  it('counts an edge of four triangles once', () => {
    const withFin = meshOf(
      [...[0, 1, 2, 3].map((i) => [Math.cos(i), Math.sin(i), 0]), [0, 0, 0], [0, 0, 1]],
      [0, 1, 2, 3].map((i) => [4, 5, i]),
    );
    const { nonManifoldEdges, boundaryEdges, badEdges } = analyze(withFin);
    [nonManifoldEdges, boundaryEdges, badEdges].should.deepEqual([1, 8, 9]);
  });

  it('counts boundary edges that nearly match others', () => {
    const cube = makeCube();
    const positions = [...cube.positions, 1 + 1e-5, -1, 1, 1 + 1e-5, 1, 1];
    const triangles = cube.triangles.slice();
    // The triangles of the top use moved copies, 8 and 9, of vertices 5 and 6.
    triangles.set([4, 8, 9, 4, 9, 7], 6);
    analyze({ positions: Float64Array.from(positions), triangles }).solidityParams.nearBadEdges.should.equal(2);
  });

  it('counts boundary edges that nearly match others in any order of the vertices', () => {
    // Pairs of triangles that nearly share an edge. Their vertices are in an order without regard to place.
    const pairCount = 500;
    const corners = Array.from({ length: pairCount }, (_, pair) => {
      const [x, y] = [pair % 25, Math.floor(pair / 25)];
      const off = 1e-4;
      return [
        [x, y, 0],
        [x + 0.5, y, 0],
        [x, y + 0.5, 0],
        [x + 0.5, y, off],
        [x, y + 0.5, off],
        [x + 0.5, y + 0.5, 0],
      ];
    }).flat();
    const slotOf = (corner: number) => (corner * 1009) % corners.length;
    const positions = new Float64Array(corners.length * 3);
    for (const [corner, point] of corners.entries()) positions.set(point, slotOf(corner) * 3);
    const triangles = Uint32Array.from(corners.keys(), slotOf);
    analyze({ positions, triangles }).solidityParams.nearBadEdges.should.equal(2 * pairCount);
  });

  it('counts triangles with equal or exactly collinear corners as degenerate', () => {
    analyze(
      meshOf(
        [
          [0, 0, 0],
          [1, 1, 1],
          [2, 2, 2],
          [2, 2, 2 + 1e-15],
        ],
        [
          [0, 1, 2],
          [0, 1, 3],
          [0, 0, 1],
        ],
      ),
    ).degenerateTriangles.should.equal(2);
  });

  it('counts shells, and tiny ones as noise', () => {
    const { shells, qualityParams } = analyze(joined(makeCube(), placed(makeCube(), [5, 0, 0], 0.005)));
    shells.should.equal(2);
    qualityParams.noiseShells.should.equal(1);
  });

  it('counts the triangles of inverted shells', () => {
    const { solidityParams } = analyze(joined(makeCube(), turnedOver(placed(makeCube(), [5, 0, 0]))));
    solidityParams.invertedNormals.should.equal(12);
  });

  it('does not count the wall of a cavity as inverted', () => {
    analyze(
      joined(placed(makeCube(), [0, 0, 0], 3), turnedOver(makeCube())),
    ).solidityParams.invertedNormals.should.equal(0);
  });

  it('returns zeros for a mesh without triangles', () => {
    const empty = analyze(meshOf([], []));
    [empty.triangles, empty.volumeMm3, empty.dimensionXMm].should.deepEqual([0, 0, 0]);
    JSON.stringify(empty).should.not.containEql('null');
    verdictOf(empty).level.should.equal('open');
  });

  it('does not change the mesh', () => {
    const torus = makeTorus();
    analyze(torus);
    torus.should.deepEqual(makeTorus());
  });
});

describe('verdictOf', () => {
  const inner = makeCube();
  const outer = placed(makeCube(), [0, 0, 0], 3);

  it('returns solid for a closed body without defects', () => {
    verdictOf(analyze(makeTorus())).should.deepEqual({ level: 'solid', needsRepair: false, reasons: [] });
  });

  it('returns solid for a body with a cavity', () => {
    levelOf(joined(outer, turnedOver(inner))).should.equal('solid');
  });

  it('returns solid for a body in the cavity of another', () => {
    levelOf(joined(placed(makeCube(), [0, 0, 0], 9), turnedOver(outer), inner)).should.equal('solid');
  });

  it('returns open for a hole and for inconsistent winding', () => {
    levelOf(without(makeCube(), 0)).should.equal('open');
    levelOf(turnedOver(makeCube(), 0)).should.equal('watertight');
    reasonsOf(turnedOver(makeCube(), 2)).should.containEql('3 inconsistently wound edges');
  });

  it('returns watertight for bodies that share a vertex', () => {
    // Two tetrahedra, tip to tip at vertex 0.
    const tips = meshOf(
      [
        [0, 0, 0],
        [1, 0, 1],
        [0, 1, 1],
        [-1, -1, 1],
        [1, 0, -1],
        [0, 1, -1],
        [-1, -1, -1],
      ],
      [
        [0, 2, 1],
        [0, 3, 2],
        [0, 1, 3],
        [1, 2, 3],
        [0, 4, 5],
        [0, 5, 6],
        [0, 6, 4],
        [4, 6, 5],
      ],
    );
    verdictOf(analyze(tips)).should.deepEqual({
      level: 'watertight',
      needsRepair: true,
      reasons: ['1 non-manifold vertex'],
    });
  });

  it('returns manifold for bodies that cross each other', () => {
    levelOf(joined(makeCube(), placed(makeCube(), [0.5, 0.4, 0.3]))).should.equal('manifold');
  });

  it('returns manifold for bodies that touch', () => {
    levelOf(joined(makeCube(), placed(makeCube(), [2, 0.4, 0.3]))).should.equal('manifold');
  });

  it('returns manifold for an inverted body and for a body directly inside another', () => {
    levelOf(turnedOver(makeCube())).should.equal('manifold');
    levelOf(joined(outer, inner)).should.equal('manifold');
    should(reasonsOf(joined(outer, inner)).length).equal(1);
  });

  it('returns the same level after rotation', () => {
    levelOf(rotated(joined(outer, turnedOver(inner)))).should.equal('solid');
    levelOf(rotated(joined(outer, inner))).should.equal('manifold');
  });
});
