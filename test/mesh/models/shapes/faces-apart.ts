import type { IndexedMesh } from '../../../../src/mesh/core/mesh.js';
import { computeBounds, diagonalOf } from '../../../../src/mesh/geometry/bounds.js';
import { triangulateRings } from '../../../../src/mesh/triangulation/triangulate-rings.js';
import { joined } from '../mesh-of.js';

type Random = () => number;
type Point3 = readonly number[];
type Point = readonly [number, number];

/** A face of a CAD model: the polygons around it, or a grid of points on a curved surface. */
type Face =
  | { kind: 'polygon'; rings: readonly (readonly Point3[])[] }
  | { kind: 'grid'; pointAt: (u: number, v: number) => Point3; countU: number; countV: number };

/** Creates a solid of faces that are tessellated one by one, as a badly sewn CAD model has in an STL. */
export function makeFacesApart(random: Random): IndexedMesh {
  const kinds = [createBox, createProfile, createCylinder, createTube];
  const faces = kinds[Math.floor(random() * kinds.length)]?.(random) ?? [];
  return joined(...faces.map((face) => tessellate(face, random)));
}

/**
 * Moves the corners of each face, so that neighbors are up to `gapFraction` of the diagonal apart: the face as a whole, or
 * each corner by itself.
 */
export function jitterCorners(mesh: IndexedMesh, gapFraction: number, random: Random): IndexedMesh {
  const halfMm = (gapFraction * diagonalOf(computeBounds(mesh.positions))) / 2 / Math.sqrt(3);
  return { ...mesh, positions: mesh.positions.map((value) => value + (random() * 2 - 1) * halfMm) };
}

function createBox(random: Random): Face[] {
  const [x, y, z] = [1, 0.3 + random(), 0.1 + random() * 0.6];
  const taper = random() < 0.5 ? 1 : 0.5 + random() / 2;
  return extrude(
    [
      [0, 0],
      [x, 0],
      [x, y],
      [0, y],
    ],
    [],
    z,
    taper,
  );
}

/** Creates an extruded outline: L, T, U, hexagon or star, sometimes with a hole. */
function createProfile(random: Random): Face[] {
  const t = 0.2 + random() * 0.2;
  const star = Array.from({ length: 10 }, (_, i): Point => {
    const radius = i % 2 === 0 ? 0.5 : 0.25 + t / 2;
    return [radius * Math.cos((i * Math.PI) / 5), radius * Math.sin((i * Math.PI) / 5)];
  });
  const outlines: Point[][] = [
    [
      [0, 0],
      [1, 0],
      [1, t],
      [t, t],
      [t, 0.8],
      [0, 0.8],
    ],
    [
      [-0.5, 0],
      [0.5, 0],
      [0.5, t],
      [t / 2, t],
      [t / 2, 0.9],
      [-t / 2, 0.9],
      [-t / 2, t],
      [-0.5, t],
    ],
    [
      [0, 0],
      [1, 0],
      [1, 0.7],
      [1 - t, 0.7],
      [1 - t, t],
      [t, t],
      [t, 0.7],
      [0, 0.7],
    ],
    star,
  ];
  const index = Math.floor(random() * outlines.length);
  const hole: Point[] = [
    [-0.1, -0.1],
    [-0.1, 0.1],
    [0.1, 0.1],
    [0.1, -0.1],
  ];
  return extrude(outlines[index] ?? star, index === 3 && random() < 0.7 ? [hole] : [], 0.2 + random(), 1);
}

/** Creates the faces of an extruded polygon whose cover is scaled by `taper`. */
function extrude(
  outline: readonly Point[],
  holes: readonly (readonly Point[])[],
  height: number,
  taper: number,
): Face[] {
  const rings = [outline, ...holes];
  const at = (z: number, factor: number) => rings.map((ring) => ring.map(([x, y]) => [x * factor, y * factor, z]));
  const [bottom, top] = [at(0, 1), at(height, taper)];
  const sides = bottom.flatMap((ring, r) =>
    ring.map((a, i): Face => {
      const next = (i + 1) % ring.length;
      return { kind: 'polygon', rings: [[a, ring[next] ?? a, top[r]?.[next] ?? a, top[r]?.[i] ?? a]] };
    }),
  );
  const reversed = bottom.map((ring) => ring.toReversed());
  return [{ kind: 'polygon', rings: reversed }, { kind: 'polygon', rings: top }, ...sides];
}

/** Creates a cylinder or cone of two or three bands around, and its disks. */
function createCylinder(random: Random): Face[] {
  return turnProfile(
    [
      [0, 0],
      [0.4, 0],
      [0.4 * (0.6 + random() * 0.4), 0.3 + random()],
      [0, 0],
    ],
    random,
    1,
    3,
  );
}

/** Creates a tube with flat rims. */
function createTube(random: Random): Face[] {
  const height = 0.3 + random();
  const inner = 0.2 + random() * 0.15;
  return turnProfile(
    [
      [0.4, 0],
      [0.4, height],
      [inner, height],
      [inner, 0],
      [0.4, 0],
    ],
    random,
    0,
    4,
  );
}

/** Creates the faces of the segments `from` to `to` of a turned profile; disks where it begins on the axis. */
function turnProfile(profile: readonly Point[], random: Random, from: number, to: number): Face[] {
  const countOf = () => [72, 80, 96, 120][Math.floor(random() * 4)] ?? 96;
  const ring = (radius: number, z: number, count: number, direction: number) =>
    Array.from({ length: count }, (_, i) => pointAround(radius, (direction * i) / count, z));
  if (from === 1) {
    const [, [r0 = 0, z0 = 0] = [], [r1 = 0, z1 = 0] = []] = profile;
    const halves = [0, 0.5].map(
      (start): Face => ({
        kind: 'grid',
        pointAt: (u, v) => pointAround(r0 + (r1 - r0) * v, start + u / 2, z0 + (z1 - z0) * v),
        countU: countOf() / 2,
        countV: 1 + Math.floor(random() * 3),
      }),
    );
    return [
      { kind: 'polygon', rings: [ring(r0, z0, countOf(), -1)] },
      { kind: 'polygon', rings: [ring(r1, z1, countOf(), 1)] },
      ...halves,
    ];
  }
  return profile.slice(from, to).flatMap(([r0, z0], i): Face[] => {
    const [r1, z1] = profile[from + i + 1] ?? [r0, z0];
    if (z0 === z1) {
      const [outer, inner] = [Math.max(r0, r1), Math.min(r0, r1)];
      const direction = z0 === 0 ? -1 : 1;
      return [
        { kind: 'polygon', rings: [ring(outer, z0, countOf(), direction), ring(inner, z0, countOf(), -direction)] },
      ];
    }
    return [0, 0.5].map((start) => ({
      kind: 'grid',
      pointAt: (u, v) => pointAround(r0 + (r1 - r0) * v, start + u / 2, z0 + (z1 - z0) * v),
      countU: countOf() / 2,
      countV: 1 + Math.floor(random() * 3),
    }));
  });
}

function pointAround(radius: number, turns: number, z: number): Point3 {
  return [radius * Math.cos(turns * 2 * Math.PI), radius * Math.sin(turns * 2 * Math.PI), z];
}

/** Tessellates a face without regard to others. The edges of a polygon of few corners are divided at random. */
function tessellate(face: Face, random: Random): IndexedMesh {
  return face.kind === 'grid' ? tessellateGrid(face) : tessellatePolygon(face.rings, random);
}

function tessellateGrid({ pointAt, countU, countV }: Extract<Face, { kind: 'grid' }>): IndexedMesh {
  const positions: number[] = [];
  const triangles: number[] = [];
  for (let v = 0; v <= countV; v++)
    for (let u = 0; u <= countU; u++) positions.push(...pointAt(u / countU, v / countV));
  for (let v = 0; v < countV; v++)
    for (let u = 0; u < countU; u++) {
      const a = v * (countU + 1) + u;
      triangles.push(a, a + 1, a + countU + 2, a, a + countU + 2, a + countU + 1);
    }
  return { positions: Float64Array.from(positions), triangles: Uint32Array.from(triangles) };
}

function tessellatePolygon(rings: readonly (readonly Point3[])[], random: Random): IndexedMesh {
  const divided = rings.map((ring) =>
    ring.length > 40 ? ring : ring.flatMap((point, i) => divide(point, ring[(i + 1) % ring.length] ?? point, random)),
  );
  // A polygon with collinear corners cannot always be triangulated.
  const mesh = triangulate(divided) ?? triangulate(rings);
  if (!mesh) throw new Error('A face could not be triangulated.');
  return mesh;
}

function triangulate(rings: readonly (readonly Point3[])[]): IndexedMesh | undefined {
  const positions = Float64Array.from(rings.flat(2));
  let first = 0;
  const triangles = triangulateRings(
    positions,
    rings.map((ring) => ring.map(() => first++)),
  );
  return triangles && { positions, triangles: Uint32Array.from(triangles) };
}

/** Returns the start of an edge, and up to three points on it. */
function divide(from: Point3, to: Point3, random: Random): Point3[] {
  const count = random() < 0.5 ? 1 : 1 + Math.floor(random() * 4);
  return Array.from({ length: count }, (_, i) => from.map((part, k) => part + (((to[k] ?? 0) - part) * i) / count));
}
