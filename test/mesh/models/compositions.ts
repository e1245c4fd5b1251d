import type { IndexedMesh } from '../../../src/mesh/core/mesh.js';
import { makeBall } from './bodies.js';
import { makeCube } from './cube.js';
import { joined, placed, turnedOver } from './mesh-of.js';
import { createRandom } from './random.js';
import { makeVoxels } from './voxels.js';

/** A body of a composition: its surface, and the same as closed meshes of which each is simple. */
export interface ComposedBody {
  kind: string;
  mesh: IndexedMesh;
  /** The body is the union of these, … */
  solids: readonly IndexedMesh[];
  /** … without these. */
  cavities: readonly IndexedMesh[];
}

type Random = () => number;

/** Creates the surface of a box by its lowest corner and its size. All coordinates are float32. */
export function makeBox(min: readonly number[], size: readonly number[]): IndexedMesh {
  const cube = makeCube();
  return {
    ...cube,
    positions: cube.positions.map((value, i) => (min[i % 3] ?? 0) + ((value + 1) / 2) * (size[i % 3] ?? 1)),
  };
}

function pickInteger(random: Random, count: number): number {
  return Math.floor(random() * count);
}

function pickVector(random: Random, count: number, min = 0): number[] {
  return [0, 1, 2].map(() => min + pickInteger(random, count));
}

/** Lists about half of the cells of a small grid, at least one. */
function pickCells(random: Random): number[][] {
  const min = pickVector(random, 3);
  const [x = 1, y = 1, z = 1] = pickVector(random, 3, 1);
  const all = Array.from({ length: x * y * z }, (_, i) => [i % x, Math.floor(i / x) % y, Math.floor(i / (x * y))]);
  const cells = all.filter((_, i) => i === 0 || random() < 0.6);
  return cells.map((cell) => cell.map((part, k) => part + (min[k] ?? 0)));
}

const makeCell = (cell: readonly number[]) => makeBox(cell, [1, 1, 1]);

/** kind of body → how it is made, on a grid of 1 mm */
const KINDS = {
  box(random) {
    const mesh = makeBox(pickVector(random, 4), pickVector(random, 3, 1));
    return { mesh, solids: [mesh], cavities: [] };
  },
  ball(random) {
    const radius = 0.5 + pickInteger(random, 3) / 2;
    const ball = placed(
      makeBall(6 + pickInteger(random, 4), radius),
      pickVector(random, 9).map((part) => part / 2),
    );
    const mesh = { ...ball, positions: ball.positions.map(Math.fround) };
    return { mesh, solids: [mesh], cavities: [] };
  },
  voxels(random) {
    const cells = pickCells(random);
    return { mesh: makeVoxels(cells), solids: cells.map(makeCell), cavities: [] };
  },
  'boxes of voxels'(random) {
    const solids = pickCells(random).map((cell) => makeVoxels([cell]));
    return { mesh: joined(...solids), solids, cavities: [] };
  },
  'hollow box'(random) {
    const [min, size] = [pickVector(random, 3), pickVector(random, 2, 3)];
    const outer = makeBox(min, size);
    const cavity = makeBox(
      min.map((part) => part + 1),
      size.map((part) => part - 2),
    );
    return { mesh: joined(outer, turnedOver(cavity)), solids: [outer], cavities: [cavity] };
  },
} satisfies Record<string, (random: Random) => Omit<ComposedBody, 'kind'>>;

/** Creates two to five bodies on a grid: they touch by faces, edges and vertices, overlap, or contain each other. */
export function makeComposition(seed: number): ComposedBody[] {
  const random = createRandom(seed * 2654435761);
  for (let i = 0; i < 8; i++) random(); // the first numbers of neighboring seeds are alike
  const kinds = Object.entries(KINDS);
  const bodies = Array.from({ length: 2 + pickInteger(random, 4) }, (): ComposedBody => {
    const [kind, make] = kinds[pickInteger(random, kinds.length)] ?? ['box', KINDS.box];
    return { kind, ...make(random) };
  });
  const hollow = bodies.find(({ cavities }) => cavities.length > 0);
  if (hollow && random() < 0.5)
    bodies.push({ kind: 'filler', mesh: joined(...hollow.cavities), solids: hollow.cavities, cavities: [] });
  return bodies;
}

/** Joins bodies to a mesh. With `hasObjects`, each is an object. */
export function joinBodies(bodies: readonly ComposedBody[], hasObjects: boolean): IndexedMesh {
  const mesh = joined(...bodies.map((body) => body.mesh));
  if (!hasObjects) return mesh;
  let firstTriangle = 0;
  const objects = bodies.map(({ kind, mesh: { triangles } }, i) => {
    const range = { name: `${kind} ${i + 1}`, firstTriangle, triangleCount: triangles.length / 3 };
    firstTriangle += range.triangleCount;
    return range;
  });
  return { ...mesh, objects };
}
