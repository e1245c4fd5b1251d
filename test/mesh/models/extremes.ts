import type { IndexedMesh } from '../../../src/mesh/core/mesh.js';
import { createRandom } from './random.js';

type Point = readonly [number, number, number];

const RADIUS_MM = 50;

function createIndexed(positions: readonly number[], triangles: readonly number[]): IndexedMesh {
  return { positions: Float64Array.from(positions), triangles: Uint32Array.from(triangles) };
}

/** Creates triangles without common vertices. */
function createSeparate(count: number, createCorners: (index: number) => readonly number[]): IndexedMesh {
  const positions = new Float64Array(count * 9);
  for (let i = 0; i < count; i++) positions.set(createCorners(i), i * 9);
  return { positions, triangles: Uint32Array.from({ length: count * 3 }, (_, corner) => corner) };
}

/** Creates vertices on a circle. `heightOf`: index → its height. */
function createCircle(count: number, heightOf: (index: number) => number): number[] {
  return Array.from({ length: count }, (_, i) => {
    const angle = (2 * Math.PI * i) / count;
    return [RADIUS_MM * Math.cos(angle), RADIUS_MM * Math.sin(angle), heightOf(i)];
  }).flat();
}

/** Creates `count` triangles around vertex 0, whose rim begins at vertex `first`. */
function createFan(count: number, first: number): number[] {
  return Array.from({ length: count }, (_, i) => [0, first + i, first + ((i + 1) % count)]).flat();
}

/** Creates a closed cone of `count` triangles, half of them in the base, which has one vertex in the middle. */
function createCone(count: number): IndexedMesh {
  const segments = Math.floor(count / 2);
  const positions = [0, 0, 2 * RADIUS_MM, 0, 0, 0, ...createCircle(segments, () => 0)];
  const side = createFan(segments, 2);
  const base = Array.from({ length: segments }, (_, i) => [1, 2 + ((i + 1) % segments), 2 + i]).flat();
  return createIndexed(positions, [...side, ...base]);
}

/** Creates a closed double cone whose rim is jagged, so that the triangles around its tips are all different. */
function createJaggedCone(count: number): IndexedMesh {
  const segments = Math.floor(count / 2);
  const random = createRandom(1);
  const positions = [0, 0, 2 * RADIUS_MM, 0, 0, -2 * RADIUS_MM, ...createCircle(segments, () => 10 * random())];
  const lower = Array.from({ length: segments }, (_, i) => [1, 2 + ((i + 1) % segments), 2 + i]).flat();
  return createIndexed(positions, [...createFan(segments, 2), ...lower]);
}

function createTriangle(corners: readonly [Point, Point, Point]): readonly number[] {
  return corners.flat();
}

const TRIANGLE = createTriangle([
  [0, 0, 0],
  [RADIUS_MM, 0, 0],
  [0, RADIUS_MM, 10],
]);

function createPointAround(random: () => number, [x, y, z]: Point, sizeMm: number): Point {
  return [x + sizeMm * (random() - 0.5), y + sizeMm * (random() - 0.5), z + sizeMm * (random() - 0.5)];
}

/** Creates needles in a box: two corners of each are close together. */
function createNeedles(count: number): IndexedMesh {
  const random = createRandom(2);
  return createSeparate(count, () => {
    const start = createPointAround(random, [0, 0, 0], 2 * RADIUS_MM);
    const end = createPointAround(random, [0, 0, 0], 2 * RADIUS_MM);
    return createTriangle([start, end, createPointAround(random, start, 1e-3)]);
  });
}

/** Creates triangles with one common vertex and no common edge. */
function createStar(count: number): IndexedMesh {
  const random = createRandom(3);
  const positions = [0, 0, 0];
  for (let i = 0; i < 2 * count; i++) positions.push(...createPointAround(random, [0, 0, 0], 2 * RADIUS_MM));
  const triangles = Array.from({ length: count }, (_, i) => [0, 2 * i + 1, 2 * i + 2]).flat();
  return createIndexed(positions, triangles);
}

/** Creates triangles with one common edge. */
function createBook(count: number): IndexedMesh {
  const positions = [0, 0, -RADIUS_MM, 0, 0, RADIUS_MM, ...createCircle(count, () => 0)];
  const triangles = Array.from({ length: count }, (_, i) => [0, 1, i + 2]).flat();
  return createIndexed(positions, triangles);
}

/** Creates large triangles, each above the one before. */
function createStack(count: number): IndexedMesh {
  return createSeparate(count, (i) => TRIANGLE.map((value, k) => (k % 3 === 2 ? value + (10 * i) / count : value)));
}

/** Name → creates a mesh with that number of triangles, whose vertices, edges or places have very many of them. */
export const EXTREME_MODELS: Readonly<Record<string, (count: number) => IndexedMesh>> = {
  cone: createCone,
  'jagged cone': createJaggedCone,
  'open fan': (count) => createIndexed([0, 0, RADIUS_MM, ...createCircle(count, () => 0)], createFan(count, 1)),
  'equal triangles': (count) => createSeparate(count, () => TRIANGLE),
  'equal triangles with common vertices': (count) =>
    createIndexed(TRIANGLE, Array.from({ length: count }, () => [0, 1, 2]).flat()),
  needles: createNeedles,
  'one vertex': createStar,
  'one edge': createBook,
  stack: createStack,
};

/** Creates an extreme model by its name. */
export function createExtreme(name: string, count: number): IndexedMesh {
  const create = EXTREME_MODELS[name];
  if (!create) throw new Error(`Unknown model ${name}.`);
  return create(count);
}
