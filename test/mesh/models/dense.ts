import type { IndexedMesh } from '../../../src/mesh/core/mesh.js';
import { makeBoxBetween, makeCube } from './cube.js';
import { placed } from './mesh-of.js';
import { createRandom } from './random.js';
import { makeGlobe, makeLathe } from './sweeps.js';

type Random = () => number;

/** Combines meshes into one, without shared vertices. As `joined`, but also for thousands of meshes. */
function combine(meshes: readonly IndexedMesh[]): IndexedMesh {
  const positions: number[] = [];
  const triangles: number[] = [];
  for (const mesh of meshes) {
    const first = positions.length / 3;
    for (const value of mesh.positions) positions.push(value);
    for (const vertex of mesh.triangles) triangles.push(vertex + first);
  }
  return { positions: Float64Array.from(positions), triangles: Uint32Array.from(triangles) };
}

function repeat(count: number, create: (index: number, random: Random) => IndexedMesh): IndexedMesh {
  const random = createRandom(count);
  return combine(Array.from({ length: count }, (_, i) => create(i, random)));
}

/** Creates triangles without common vertices from a list of corners. */
function makeTriangles(coordinates: readonly number[]): IndexedMesh {
  return {
    positions: Float64Array.from(coordinates),
    triangles: Uint32Array.from({ length: coordinates.length / 3 }, (_, i) => i),
  };
}

function makeTetrahedron(corners: readonly number[][]): IndexedMesh {
  return {
    positions: Float64Array.from(corners.flat()),
    triangles: Uint32Array.of(0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3),
  };
}

function createPoint(random: Random, size = 1): number[] {
  return [0, 1, 2].map(() => (random() - 0.5) * size);
}

/** Creates a cone of `count` triangles around one vertex. `heightOf`: corner → its height. */
function makeFan(count: number, heightOf: (index: number) => number): IndexedMesh {
  const positions = [0, 0, 10];
  const triangles: number[] = [];
  for (let i = 0; i < count; i++) {
    const angle = (2 * Math.PI * i) / count;
    positions.push(50 * Math.cos(angle), 50 * Math.sin(angle), heightOf(i));
    triangles.push(0, i + 1, ((i + 1) % count) + 1);
  }
  return { positions: Float64Array.from(positions), triangles: Uint32Array.from(triangles) };
}

/** Creates `count` triangles that share one edge, like the pages of a book. */
function makeBook(count: number): IndexedMesh {
  const positions = [0, 0, 0, 0, 0, 10];
  const triangles: number[] = [];
  for (let i = 0; i < count; i++) {
    const angle = (2 * Math.PI * i) / count;
    positions.push(50 * Math.cos(angle), 50 * Math.sin(angle), i % 7);
    triangles.push(0, 1, i + 2);
  }
  return { positions: Float64Array.from(positions), triangles: Uint32Array.from(triangles) };
}

/** Returns the mesh with its positions assigned to its vertices at random: a closed surface of crossing triangles. */
function crumple({ positions, triangles }: IndexedMesh): IndexedMesh {
  const random = createRandom(5);
  return { positions: positions.map(() => (random() - 0.5) * 100), triangles };
}

function roughen({ positions, triangles }: IndexedMesh, sizeMm: number): IndexedMesh {
  const random = createRandom(6);
  return { positions: positions.map((value) => value + (random() - 0.5) * sizeMm), triangles };
}

function makeBall(rows: number, radius = 40): IndexedMesh {
  return makeGlobe(rows, rows * 2, () => radius);
}

/** Removes a part of the triangles at random. */
function thin({ positions, triangles }: IndexedMesh, fraction: number): IndexedMesh {
  const random = createRandom(7);
  const kept = Array.from({ length: triangles.length / 3 }, (_, i) => i).filter(() => random() >= fraction);
  return { positions, triangles: Uint32Array.from(kept.flatMap((i) => [...triangles.subarray(i * 3, i * 3 + 3)])) };
}

/** Creates a lattice of bars along all axes that cross each other. */
function makeLattice(perAxis: number): IndexedMesh {
  const bars: IndexedMesh[] = [];
  for (let axis = 0; axis < 3; axis++)
    for (let i = 0; i < perAxis; i++)
      for (let j = 0; j < perAxis; j++) {
        const min = [i * 5, j * 5];
        const max = [i * 5 + 1, j * 5 + 1];
        min.splice(axis, 0, -2);
        max.splice(axis, 0, perAxis * 5);
        bars.push(makeBoxBetween(min, max));
      }
  return combine(bars);
}

/** Creates a box whose upper edge has `count` vertices in one of its two walls only. */
function makeEdgeOfManyVertices(count: number): IndexedMesh {
  const cube = placed(makeCube(), [0, 0, 0], 50);
  const strip = [-50, -50, 100];
  const triangles: number[] = [];
  for (let i = 0; i <= count; i++) strip.push(-50 + (100 * i) / count, -50, 50);
  for (let i = 0; i < count; i++) triangles.push(0, i + 1, i + 2);
  return combine([cube, { positions: Float64Array.from(strip), triangles: Uint32Array.from(triangles) }]);
}

function makeOpenTube(segments: number, waveMm: number): IndexedMesh {
  const tube = makeLathe(
    [
      [0, 0],
      [30, 0],
      [30, 60],
      [0, 60],
    ],
    segments,
  );
  const isWall = (offset: number) =>
    [0, 1, 2].every((k) => Math.hypot(...at(tube, tube.triangles[offset + k] ?? 0)) > 1);
  const kept = Array.from({ length: tube.triangles.length / 3 }, (_, i) => i * 3).filter(isWall);
  const positions = tube.positions.map((value, i) => value + (i % 3 === 2 ? waveMm * Math.sin(i * 0.37) : 0));
  return {
    positions,
    triangles: Uint32Array.from(kept.flatMap((offset) => [...tube.triangles.subarray(offset, offset + 3)])),
  };
}

function at({ positions }: IndexedMesh, vertex: number): number[] {
  return [...positions.subarray(vertex * 3, vertex * 3 + 2)];
}

/**
 * Models below 20,000 triangles in which many triangles are at one place: in the neighborhood of one vertex or edge, in
 * one plane, or in each other. Each takes a part of the kernel to its limit of work.
 */
export const DENSE_MODELS: Readonly<Record<string, () => IndexedMesh>> = {
  'a cone of 19,998 triangles': () =>
    combine([
      makeFan(9999, () => 0),
      reverse(
        makeFan(9999, () => 0),
        5,
      ),
    ]),
  'an open cone with a jagged border': () => makeFan(19_998, (i) => i % 5),
  'a flat disk of triangles around a vertex': () => makeFan(19_998, () => 10),
  'a book of 19,998 pages': () => makeBook(19_998),
  '1,600 equal cubes at one place': () => repeat(1600, () => makeCube()),
  '1,600 cubes at nearly one place': () => repeat(1600, (_, random) => placed(makeCube(), createPoint(random, 1e-5))),
  '1,600 cubes that overlap at random': () =>
    repeat(1600, (_, random) => placed(makeCube(), createPoint(random, 10), 1 + random())),
  '1,600 plates in one plane': () =>
    repeat(1600, (_, random) => {
      const [x = 0, y = 0] = createPoint(random, 100);
      return makeBoxBetween([x, y, 0], [x + 5 + random() * 20, y + 5 + random() * 20, 1]);
    }),
  '19,998 triangles in one plane': () =>
    repeat(19_998, (_, random) => makeTriangles([0, 1, 2].flatMap(() => [...createPoint(random, 100).slice(0, 2), 0]))),
  '1,600 nested cubes': () => repeat(1600, (i) => placed(makeCube(), [0, 0, 0], 1 + i)),
  '1,600 touching cubes': () =>
    repeat(1600, (i) => placed(makeCube(), [(i % 12) * 2, (Math.floor(i / 12) % 12) * 2, Math.floor(i / 144) * 2])),
  '19,998 triangles at random': () =>
    repeat(19_998, (_, random) => makeTriangles([0, 1, 2].flatMap(() => createPoint(random)))),
  '4,999 tetrahedra at random': () =>
    repeat(4999, (_, random) => makeTetrahedron([0, 1, 2, 3].map(() => createPoint(random)))),
  '500 tetrahedra at random': () =>
    repeat(500, (_, random) => makeTetrahedron([0, 1, 2, 3].map(() => createPoint(random)))),
  '4,999 tetrahedra with a common corner': () =>
    repeat(4999, (_, random) => makeTetrahedron([[0, 0, 0], ...[0, 1, 2].map(() => createPoint(random))])),
  '4,999 small tetrahedra that touch at a corner': () =>
    repeat(4999, (i) => {
      const [z, angle] = [1 - (2 * i) / 4999, i * 2.4];
      const p = [Math.sqrt(1 - z * z) * Math.cos(angle), Math.sqrt(1 - z * z) * Math.sin(angle), z];
      return makeTetrahedron([[0, 0, 0], ...[0, 1, 2].map((k) => p.map((part, j) => part * 50 + (j === k ? 0.3 : 0)))]);
    }),
  '4,999 needles that cross': () =>
    repeat(4999, (_, random) => {
      const [a, b] = [createPoint(random, 100), createPoint(random, 100)];
      return makeTetrahedron([
        a,
        b,
        b.map((part, k) => part + (k === 0 ? 1e-3 : 0)),
        b.map((part, k) => part + (k === 1 ? 1e-3 : 0)),
      ]);
    }),
  'a crumpled ball': () => crumple(makeBall(70)),
  'a small crumpled ball': () => crumple(makeBall(16)),
  'a ball of rough surface': () => roughen(makeBall(70), 3),
  'a ball of very rough surface': () => roughen(makeBall(70), 20),
  'ten balls nearly at one place': () => repeat(10, (_, random) => placed(makeBall(22), createPoint(random, 1e-3))),
  'ten balls within a rounding error': () => repeat(10, (_, random) => placed(makeBall(22), createPoint(random, 1e-8))),
  'ten balls far from the origin': () =>
    repeat(10, (_, random) =>
      placed(
        makeBall(22),
        [1e6, 2e6, -1e6].map((part) => part + random()),
      ),
    ),
  'a ball far from the origin': () => placed(makeBall(60), [1e7, 0, 0]),
  'a third of a ball missing': () => thin(makeBall(70), 0.35),
  'two thirds of a ball missing': () => thin(makeBall(70), 0.65),
  'a lattice of bars': () => makeLattice(23),
  'an edge of 19,900 vertices': () => makeEdgeOfManyVertices(19_900),
  'a tube without ends': () => makeOpenTube(9000, 0),
  'a tube with wavy ends': () => makeOpenTube(9000, 3),
};

function reverse(mesh: IndexedMesh, heightMm: number): IndexedMesh {
  const positions = mesh.positions.slice();
  positions[2] = -heightMm;
  return { positions, triangles: mesh.triangles.map((_, i) => mesh.triangles[i - (i % 3) + 2 - (i % 3)] ?? 0) };
}
