import type { IndexedMesh } from '../../../../src/mesh/core/mesh.js';
import { makeBox } from '../compositions.js';
import { makeHeightField } from '../height-field.js';
import { joined, meshOf, placed, without } from '../mesh-of.js';
import { createRandom } from '../random.js';
import { makeGlobe, makeLathe } from '../sweeps.js';
import { rotated } from '../transform.js';
import { jitterCorners, makeFacesApart } from './faces-apart.js';

type Random = () => number;
type Triangle = number[][];

/** A damaged model of a kind, and what it should be. */
export interface ShapeCase {
  name: string;
  damaged: IndexedMesh;
  /** The solid to be restored; absent if the file does not define one, so that the repair must say so. */
  truth?: IndexedMesh;
  toleranceFraction: number;
}

type ShapeKind = (random: Random) => Omit<ShapeCase, 'name'>;

/** kind → creates a case of about one millimeter */
export const SHAPE_KINDS: Readonly<Record<string, ShapeKind>> = {
  'faces apart': (random) => {
    const truth = makeFacesApart(random);
    const gapFraction = 1.2e-4 * 5 ** random();
    return { damaged: jitterCorners(truth, gapFraction, random), truth, toleranceFraction: 0.005 };
  },
  'hole in a wall': (random) => {
    const truth = createThinWall(random);
    return { damaged: withHole(truth, random), truth, toleranceFraction: 0.01 };
  },
  'rim missing': (random) => createMissingRim(random),
  sheet: (random) => ({ damaged: createSheet(random), toleranceFraction: 0.01 }),
  relief: (random) => ({ damaged: createRelief(random), toleranceFraction: 0.01 }),
  'open bottom': (random) => ({ damaged: createOpenScan(random), toleranceFraction: 0.02 }),
};

/** Creates a case of a kind: scaled to between 0.1 and 10,000 mm, and rotated. Deterministic. */
export function createShapeCase(kind: string, seed: number): ShapeCase {
  const random = createRandom(Math.imul(seed * 16 + kind.length, 2654435761));
  for (let i = 0; i < 8; i++) random();
  const { damaged, truth, toleranceFraction } = SHAPE_KINDS[kind]?.(random) ?? {
    damaged: meshOf([], []),
    toleranceFraction: 0,
  };
  const sizeMm = 10 ** (random() * 5 - 1);
  const angle = random() < 0.3 ? 0 : random() * 6;
  const transform = (mesh: IndexedMesh) => placed(rotated(mesh, angle), [0, 0, 0], sizeMm);
  return {
    name: `${kind} (seed ${seed}, ${sizeMm.toPrecision(3)} mm)`,
    damaged: transform(damaged),
    ...(truth && { truth: transform(truth) }),
    toleranceFraction,
  };
}

/** Creates a dome, pipe, vase or curved plate with a thin wall. */
function createThinWall(random: Random): IndexedMesh {
  const wall = 0.01 + random() * 0.03;
  const arc = (radius: number, reversed: boolean): [number, number][] => {
    const points = Array.from({ length: 25 }, (_, i): [number, number] => {
      const angle = (i / 24) * (Math.PI / 2);
      return [i === 24 ? 0 : radius * Math.cos(angle), radius * Math.sin(angle)];
    });
    return reversed ? points.toReversed() : points;
  };
  const side = (radiusAt: (t: number) => number): [number, number][] =>
    Array.from({ length: 25 }, (_, i) => [radiusAt(i / 24), i / 24]);
  const vase = (t: number) => 0.3 + 0.1 * Math.sin(t * 5) + 0.05 * t;
  const shapes = [
    () => makeLathe([...arc(0.5 - wall, true), ...arc(0.5, false)], 72),
    () => makeLathe([...side(() => 0.3), ...side(() => 0.3 - wall).toReversed()], 72),
    () =>
      makeLathe(
        [
          [0, 0],
          ...side(vase),
          ...side((t) => vase(t) - wall)
            .map(([r, z]): [number, number] => [r, Math.max(z, wall)])
            .toReversed(),
          [0, wall],
        ],
        72,
      ),
  ];
  return shapes[Math.floor(random() * shapes.length)]?.() ?? meshOf([], []);
}

/** Removes the triangles around a point: outside, inside or on both sides of the wall. */
function withHole(mesh: IndexedMesh, random: Random): IndexedMesh {
  const center = centroidOf(mesh, Math.floor((random() * mesh.triangles.length) / 3));
  const radius = 0.1 + random() * 0.2;
  const isBoth = random() < 0.3;
  const normal = normalOf(mesh, Math.floor(0));
  const wanted = normalAt(mesh, center) ?? normal;
  return filterTriangles(mesh, (triangle) => {
    const point = centroidOf(mesh, triangle);
    const isNear = Math.hypot(...point.map((part, k) => part - (center[k] ?? 0))) < radius;
    const cosine = normalOf(mesh, triangle).reduce((sum, part, k) => sum + part * (wanted[k] ?? 0), 0);
    return !(isNear && (isBoth || cosine > 0));
  });
}

function createMissingRim(random: Random): Omit<ShapeCase, 'name'> {
  const [segments, rows] = [64, 6];
  const [outer, inner, height] = [0.3, 0.3 * (0.5 + random() * 0.4), 0.4 + random()];
  const [amplitude, waves] = [random() * 0.1, 1 + Math.floor(random() * 4)];
  const squeeze = random() < 0.5 ? 1 : 0.5 + random() / 2;
  const profile: [number, number][] = [];
  for (let row = 0; row <= rows; row++) profile.push([outer, (row / rows) * height]);
  for (let row = rows; row >= 0; row--) profile.push([inner, (row / rows) * height]);
  const tube = makeLathe(profile, segments);
  const positions = tube.positions.slice();
  for (let offset = 0; offset < positions.length; offset += 3) {
    const [x = 0, y = 0, z = 0] = positions.subarray(offset, offset + 3);
    positions[offset + 2] = z + (z / height) * amplitude * Math.sin(waves * Math.atan2(y, x));
    positions[offset + 1] = y * squeeze;
  }
  const truth = { ...tube, positions };
  const rim = Array.from({ length: segments * 2 }, (_, i) => rows * segments * 2 + i);
  return { damaged: without(truth, ...rim), truth, toleranceFraction: 0.01 };
}

/** Creates a box with a sheet beside it or on it, a tray or a house of sheets. */
function createSheet(random: Random): IndexedMesh {
  const size = [1, 0.4 + random() / 2, 0.1 + random() / 4];
  const [x = 1, y = 1, z = 1] = size;
  const box = makeBox([0, 0, 0], size);
  const low = random() < 0.5 ? z : z * (1 + random() / 2);
  const [from, to, at] = [random() * 0.4 * x, (0.6 + random() * 0.4) * x, y * (0.2 + random() * 0.6)];
  const sheet = meshOf(
    [
      [from, at, low],
      [to, at, low],
      [to, at, low + 0.3],
      [from, at, low + 0.3],
    ],
    [
      [0, 1, 2],
      [0, 2, 3],
    ],
  );
  const openTray = filterTriangles(box, (triangle) => (normalOf(box, triangle)[2] ?? 0) <= 0);
  const shapes = [() => joined(box, sheet), () => joined(box, sheet), () => openTray];
  return shapes[Math.floor(random() * shapes.length)]?.() ?? box;
}

function createRelief(random: Random): IndexedMesh {
  const [count, height] = [20 + Math.floor(random() * 20), 0.02 + random() * 0.1];
  const waves = [0, 1, 2].map(() => [random() * 9, random() * 9, random() * 6]);
  const heightAt = (x: number, y: number) =>
    height * waves.reduce((sum, [a = 0, b = 0, c = 0]) => sum + Math.sin(a * x + b * y + c), 0);
  return makeHeightField(count, heightAt);
}

/** Creates a lumpy head that is open below, with a wavy edge. */
function createOpenScan(random: Random): IndexedMesh {
  const [a, b, c] = [random() * 6, random() * 6, 2 + Math.floor(random() * 4)];
  const head = makeGlobe(40, 60, (polar, azimuth) => 0.5 + 0.04 * Math.sin(polar * 5 + a) * Math.sin(azimuth * 3 + b));
  const wave = 0.02 + random() * 0.06;
  const bottom = -0.1 - random() * 0.25;
  return filterTriangles(head, (triangle) => {
    const [x = 0, y = 0, z = 0] = centroidOf(head, triangle);
    return z > bottom + wave * Math.sin(c * Math.atan2(y, x));
  });
}

function cornersOf({ positions, triangles }: IndexedMesh, triangle: number): Triangle {
  return [0, 1, 2].map((k) => {
    const offset = (triangles[triangle * 3 + k] ?? 0) * 3;
    return [...positions.subarray(offset, offset + 3)];
  });
}

function centroidOf(mesh: IndexedMesh, triangle: number): number[] {
  const corners = cornersOf(mesh, triangle);
  return [0, 1, 2].map((k) => corners.reduce((sum, corner) => sum + (corner[k] ?? 0), 0) / 3);
}

/** Returns the normal of a triangle, twice as long as its area. */
function normalOf(mesh: IndexedMesh, triangle: number): number[] {
  const [a = [], b = [], c = []] = cornersOf(mesh, triangle);
  const edge = (to: number[]) => [0, 1, 2].map((k) => (to[k] ?? 0) - (a[k] ?? 0));
  const [[x1 = 0, y1 = 0, z1 = 0], [x2 = 0, y2 = 0, z2 = 0]] = [edge(b), edge(c)];
  return [y1 * z2 - z1 * y2, z1 * x2 - x1 * z2, x1 * y2 - y1 * x2];
}

/** Returns the normal of the triangle with this centroid. */
function normalAt(mesh: IndexedMesh, center: number[]): number[] | undefined {
  for (let triangle = 0; triangle < mesh.triangles.length / 3; triangle++)
    if (centroidOf(mesh, triangle).every((part, k) => part === center[k])) return normalOf(mesh, triangle);
  return undefined;
}

function filterTriangles(mesh: IndexedMesh, isKept: (triangle: number) => boolean): IndexedMesh {
  const triangles = mesh.triangles.filter((_, i) => isKept(Math.floor(i / 3)));
  return { ...mesh, triangles };
}
