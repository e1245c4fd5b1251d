import type { IndexedMesh } from '../../../src/mesh/core/mesh.js';
import { triangulateRings } from '../../../src/mesh/triangulation/triangulate-rings.js';
import { makePrism } from './prism.js';

type Point = readonly [number, number];
type Point3 = readonly [number, number, number];

/**
 * Creates a solid of revolution around the z axis. Ends of the profile on the axis become poles.
 *
 * @param profile radius and z, counterclockwise, with the axis on its left
 */
export function makeLathe(profile: readonly Point[], segments: number): IndexedMesh {
  const rows = profile.map(([radius, z]) =>
    radius === 0
      ? [[0, 0, z]]
      : Array.from({ length: segments }, (_, i) => {
          const angle = (2 * Math.PI * i) / segments;
          return [radius * Math.cos(angle), radius * Math.sin(angle), z];
        }),
  );
  const isRing = profile[0]?.[0] !== 0;
  return stitchRows(rows, segments, isRing);
}

/** Creates a sphere-like solid with the radius `radiusOf(polar angle, azimuth)`. */
export function makeGlobe(
  rows: number,
  segments: number,
  radiusOf: (polar: number, azimuth: number) => number,
): IndexedMesh {
  const points = Array.from({ length: rows + 1 }, (_, row) => {
    const polar = Math.PI * (1 - row / rows);
    const isPole = row === 0 || row === rows;
    return Array.from({ length: isPole ? 1 : segments }, (__, i) => {
      const azimuth = (2 * Math.PI * i) / segments;
      const radius = radiusOf(polar, azimuth);
      const axisDistance = isPole ? 0 : Math.sin(polar) * radius;
      return [axisDistance * Math.cos(azimuth), axisDistance * Math.sin(azimuth), Math.cos(polar) * radius];
    });
  });
  return stitchRows(points, segments, false);
}

/**
 * Creates a tube along a curve.
 *
 * @param curve maps a parameter from 0 to 1 to a point
 * @param isClosed joins both ends; otherwise they get flat caps
 */
export function makeTube(
  curve: (parameter: number) => Point3,
  rings: number,
  sides: number,
  radius: number,
  isClosed: boolean,
): IndexedMesh {
  return makeSweep(curve, () => radius, rings, sides, isClosed);
}

/** Creates a tube along a curve, as `makeTube` does, with the radius `radiusAt(parameter)`. */
export function makeSweep(
  curve: (parameter: number) => Point3,
  radiusAt: (parameter: number) => number,
  rings: number,
  sides: number,
  isClosed: boolean,
): IndexedMesh {
  const rows: number[][][] = [];
  for (let ring = 0; ring < rings; ring++) {
    const parameter = ring / (isClosed ? rings : rings - 1);
    const [x, y, z] = curve(parameter);
    const [dx, dy, dz] = normalize(subtract(curve(parameter + 1e-4), curve(parameter - 1e-4)));
    const side = normalize(cross([dx, dy, dz], [0, 0, 1]));
    const up = cross(side, [dx, dy, dz]);
    const radius = radiusAt(parameter);
    rows.push(
      Array.from({ length: sides }, (_, i) => {
        const angle = (-2 * Math.PI * i) / sides;
        const [u, v] = [radius * Math.cos(angle), radius * Math.sin(angle)];
        return [x + u * side[0] + v * up[0], y + u * side[1] + v * up[1], z + u * side[2] + v * up[2]];
      }),
    );
  }
  if (!isClosed) {
    rows.unshift([[...curve(0)]]);
    rows.push([[...curve(1)]]);
  }
  return stitchRows(rows, sides, isClosed);
}

/** Creates a plate with holes from z = 0 to `height`. All polygons are counterclockwise. */
export function makePlate(
  outline: readonly Point[],
  holes: readonly (readonly Point[])[],
  height: number,
): IndexedMesh {
  const rings = [outline, ...holes.map((hole) => hole.toReversed())];
  const points = rings.flat();
  const positions = Float64Array.from(points.flatMap(([x, y]) => [x, y, 0]));
  let first = 0;
  const indices = rings.map((ring) => ring.map(() => first++));
  const cover = triangulateRings(positions, indices) ?? [];
  const faces: [number, number, number][] = [];
  for (let offset = 0; offset < cover.length; offset += 3)
    faces.push([cover[offset] ?? 0, cover[offset + 1] ?? 0, cover[offset + 2] ?? 0]);
  const body = makePrism(points, faces, height);
  // `makePrism` joins each point with the next one. The last point of each ring must be joined with its first one.
  const triangles = [...body.triangles.subarray(0, faces.length * 6)];
  for (const ring of indices) {
    ring.forEach((a, i) => {
      const b = ring[(i + 1) % ring.length] ?? 0;
      triangles.push(a, b, b + points.length, a, b + points.length, a + points.length);
    });
  }
  return { positions: body.positions, triangles: Uint32Array.from(triangles) };
}

/**
 * Joins rows of points, from the lowest up. Each row has `segments` points or one.
 *
 * @param isRing joins the last row with the first
 */
function stitchRows(rows: readonly (readonly number[][])[], segments: number, isRing: boolean): IndexedMesh {
  const starts: number[] = [];
  let count = 0;
  for (const row of rows) {
    starts.push(count);
    count += row.length;
  }
  const vertexAt = (row: number, i: number) => {
    const index = row % rows.length;
    return (starts[index] ?? 0) + ((rows[index]?.length ?? 0) === 1 ? 0 : i % segments);
  };
  const triangles: number[] = [];
  for (let row = 0; row < (isRing ? rows.length : rows.length - 1); row++) {
    for (let i = 0; i < segments; i++) {
      const [a, b, c, d] = [vertexAt(row, i), vertexAt(row, i + 1), vertexAt(row + 1, i + 1), vertexAt(row + 1, i)];
      if (a !== b) triangles.push(a, b, c);
      if (c !== d) triangles.push(a, c, d);
    }
  }
  return { positions: Float64Array.from(rows.flat(2)), triangles: Uint32Array.from(triangles) };
}

function subtract(a: Point3, b: Point3): Point3 {
  return [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
}

function cross(a: Point3, b: Point3): Point3 {
  return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
}

function normalize(a: Point3): Point3 {
  const length = Math.hypot(...a);
  return [a[0] / length, a[1] / length, a[2] / length];
}
