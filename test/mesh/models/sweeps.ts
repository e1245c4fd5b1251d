import type { IndexedMesh } from '../../../src/mesh/core/mesh.js';
import { triangulateRings } from '../../../src/mesh/triangulation/triangulate-rings.js';
import { makePrism } from './prism.js';

type Point = readonly [number, number];
type Place = readonly [number, number, number];

/** The body that a profile (radius, height; counter-clockwise, the axis on its left) makes as it goes round z. Ends on the axis become poles. */
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

/** A sphere of radius `radiusOf(polar angle, angle round z)`. */
export function makeGlobe(
  rows: number,
  segments: number,
  radiusOf: (polar: number, around: number) => number,
): IndexedMesh {
  const places = Array.from({ length: rows + 1 }, (_, row) => {
    const polar = Math.PI * (1 - row / rows);
    const isPole = row === 0 || row === rows;
    return Array.from({ length: isPole ? 1 : segments }, (__, i) => {
      const around = (2 * Math.PI * i) / segments;
      const radius = radiusOf(polar, around);
      const flat = isPole ? 0 : Math.sin(polar) * radius;
      return [flat * Math.cos(around), flat * Math.sin(around), Math.cos(polar) * radius];
    });
  });
  return stitchRows(places, segments, false);
}

/** A tube of this radius along a curve (0..1 → place); a closed one where it comes back to its start, else with flat ends. */
export function makeTube(
  curve: (parameter: number) => Place,
  rings: number,
  sides: number,
  radius: number,
  isClosed: boolean,
): IndexedMesh {
  const rows: number[][][] = [];
  for (let ring = 0; ring < rings; ring++) {
    const parameter = ring / (isClosed ? rings : rings - 1);
    const [x, y, z] = curve(parameter);
    const [dx, dy, dz] = unit(difference(curve(parameter + 1e-4), curve(parameter - 1e-4)));
    const side = unit(cross([dx, dy, dz], [0, 0, 1]));
    const up = cross(side, [dx, dy, dz]);
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

/** A plate over an outline with holes (all counter-clockwise), from z = 0 up to `height`. */
export function makePlate(
  outline: readonly Point[],
  holes: readonly (readonly Point[])[],
  height: number,
): IndexedMesh {
  const rings = [outline, ...holes.map((hole) => hole.toReversed())];
  const points = rings.flat();
  const positions = Float64Array.from(points.flatMap(([x, y]) => [x, y, 0]));
  let first = 0;
  const numbers = rings.map((ring) => ring.map(() => first++));
  const cover = triangulateRings(positions, numbers) ?? [];
  const faces: [number, number, number][] = [];
  for (let offset = 0; offset < cover.length; offset += 3)
    faces.push([cover[offset] ?? 0, cover[offset + 1] ?? 0, cover[offset + 2] ?? 0]);
  const body = makePrism(points, faces, height);
  // The prism joins each point with the next: where a ring ends, that is its own first one.
  const triangles = [...body.triangles.subarray(0, faces.length * 6)];
  for (const ring of numbers) {
    ring.forEach((a, i) => {
      const b = ring[(i + 1) % ring.length] ?? 0;
      triangles.push(a, b, b + points.length, a, b + points.length, a + points.length);
    });
  }
  return { positions: body.positions, triangles: Uint32Array.from(triangles) };
}

/** Joins rows of places, from the lowest up, each of `segments` or of one place; as a ring the last one to the first. */
function stitchRows(rows: readonly (readonly number[][])[], segments: number, isRing: boolean): IndexedMesh {
  const starts: number[] = [];
  let count = 0;
  for (const row of rows) {
    starts.push(count);
    count += row.length;
  }
  const at = (row: number, i: number) => {
    const index = row % rows.length;
    return (starts[index] ?? 0) + ((rows[index]?.length ?? 0) === 1 ? 0 : i % segments);
  };
  const triangles: number[] = [];
  for (let row = 0; row < (isRing ? rows.length : rows.length - 1); row++) {
    for (let i = 0; i < segments; i++) {
      const [a, b, c, d] = [at(row, i), at(row, i + 1), at(row + 1, i + 1), at(row + 1, i)];
      if (a !== b) triangles.push(a, b, c);
      if (c !== d) triangles.push(a, c, d);
    }
  }
  return { positions: Float64Array.from(rows.flat(2)), triangles: Uint32Array.from(triangles) };
}

const difference = (a: Place, b: Place): Place => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
const cross = (a: Place, b: Place): Place => [
  a[1] * b[2] - a[2] * b[1],
  a[2] * b[0] - a[0] * b[2],
  a[0] * b[1] - a[1] * b[0],
];
const unit = (a: Place): Place => {
  const length = Math.hypot(...a);
  return [a[0] / length, a[1] / length, a[2] / length];
};
