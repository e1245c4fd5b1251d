import 'should';
import { createMeshIndex, type MeshIndex } from '../../../src/mesh/spatial/mesh-index.js';
import { buildEdges, findTwins } from '../../../src/mesh/topology/edges.js';
import { pairTwinsRadially } from '../../../src/mesh/topology/pair-twins-radially.js';
import { findShells } from '../../../src/mesh/topology/shells.js';
import { makeCube } from '../models/cube.js';
import { joined, meshOf, placed, turnedOver, without } from '../models/mesh-of.js';
import { makeVoxels } from '../models/voxels.js';

const MESHES = {
  'a closed mesh': joined(makeCube(), placed(makeCube(), [5, 0, 0])),
  'an open mesh': without(makeCube(), 3, 7),
  'a mesh with contradicting windings': turnedOver(makeCube(), 2),
  'bodies that share an edge': makeVoxels([
    [0, 0, 0],
    [1, 1, 0],
  ]),
  'no triangles': meshOf([], []),
};

describe('createMeshIndex', () => {
  for (const [name, mesh] of Object.entries(MESHES)) {
    it(`computes the same connectivity as the functions that it calls, for ${name}`, () => {
      const { positions, triangles } = mesh;
      const edges = buildEdges(triangles, positions.length / 3);
      const index = createMeshIndex(mesh);
      index.twins().should.deepEqual(findTwins(triangles, edges));
      index.radialTwins().should.deepEqual(pairTwinsRadially(positions, triangles, edges));
      index.shells().should.deepEqual(findShells(triangles.length / 3, edges));
      index.edges().should.deepEqual(edges);
    });
  }

  it('is closed if each half-edge has a twin', () => {
    Object.values(MESHES)
      .map((mesh) => createMeshIndex(mesh).isClosed())
      .should.deepEqual([true, false, false, false, false]);
  });

  it('lists the edges that a closed mesh does not have', () => {
    const counts = Object.values(MESHES).map((mesh) => {
      const { boundary, nonManifold, inconsistent } = createMeshIndex(mesh).edgeDefects();
      return [boundary.length, nonManifold.length, inconsistent.length];
    });
    counts.should.deepEqual([
      [0, 0, 0],
      [6, 0, 0],
      [0, 0, 3],
      [0, 1, 0],
      [0, 0, 0],
    ]);
  });

  it('counts the fans beyond one per vertex of a closed mesh, without unused vertices', () => {
    const tips = meshOf(
      [
        ...[
          [0, 0, 0],
          [1, 0, 0],
          [0, 1, 0],
          [0, 0, 1],
          [9, 9, 9],
        ],
        ...[
          [-1, 0, 0],
          [0, -1, 0],
          [0, 0, -1],
        ],
      ],
      [
        ...[
          [0, 2, 1],
          [0, 1, 3],
          [0, 3, 2],
          [1, 2, 3],
        ],
        ...[
          [0, 5, 6],
          [0, 7, 5],
          [0, 6, 7],
          [5, 7, 6],
        ],
      ],
    );
    createMeshIndex(tips).extraFanCount().should.equal(1);
    createMeshIndex(makeCube()).extraFanCount().should.equal(0);
  });

  it('computes each part once', () => {
    const index = createMeshIndex(without(makeCube(), 3));
    index.edges().should.equal(index.edges());
    index.twins().should.equal(index.twins());
    index.bvh().should.equal(index.bvh());
    let calls = 0;
    const countCalls = ({ mesh }: MeshIndex) => mesh.triangles.length + ++calls;
    [index.derive(countCalls), index.derive(countCalls)].should.deepEqual([34, 34]);
  });

  it('shares the connectivity of an index whose triangles are the same', () => {
    const mesh = makeCube();
    const index = createMeshIndex(mesh);
    const moved = createMeshIndex(
      { ...mesh, positions: mesh.positions.map((value) => value * 2) },
      { connectivity: index },
    );
    moved.twins().should.equal(index.twins());
    moved.bvh().should.not.equal(index.bvh());
  });

  it('returns what was provided instead of computing it', () => {
    const index = createMeshIndex(makeCube());
    const countTriangles = ({ mesh }: MeshIndex) => mesh.triangles.length / 3;
    index.provide(countTriangles, 7);
    index.derive(countTriangles).should.equal(7);
  });
});
