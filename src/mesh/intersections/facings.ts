import type { MeshGeometry } from '../mesh.js';
import { type Bvh, LEAF_SIZE } from '../spatial/triangle-tree.js';

/** A bit for each direction along an axis: x, -x, y, -y, z, -z. */
const ALL_FACINGS = 0b111111;
/** Of a two by two determinant of differences, as a share of the sum of its products' sizes (Shewchuk's bound A of orient2d). */
const ERROR_SHARE = (3 + 16 * 2 ** -53) * 2 ** -53;

/** node of a tree → the directions that all of its triangles face: seen from there, each surely turns counter-clockwise. */
export function findFacings({ positions, triangles }: MeshGeometry, { order, firstLeaf }: Bvh): Uint8Array {
  const facings = new Uint8Array(firstLeaf * 2).fill(ALL_FACINGS);
  for (let place = 0; place < order.length; place++) {
    facings[firstLeaf + Math.floor(place / LEAF_SIZE)] &= facingsOf(positions, triangles, order[place] * 3);
  }
  for (let node = firstLeaf - 1; node > 0; node--) facings[node] = facings[node * 2] & facings[node * 2 + 1];
  return facings;
}

function facingsOf(positions: Float64Array, triangles: Uint32Array, at: number): number {
  const a = triangles[at] * 3;
  const b = triangles[at + 1] * 3;
  const c = triangles[at + 2] * 3;
  const ux = positions[b] - positions[a];
  const uy = positions[b + 1] - positions[a + 1];
  const uz = positions[b + 2] - positions[a + 2];
  const vx = positions[c] - positions[a];
  const vy = positions[c + 1] - positions[a + 1];
  const vz = positions[c + 2] - positions[a + 2];
  return sureSign(uy * vz, uz * vy) | (sureSign(uz * vx, ux * vz) << 2) | (sureSign(ux * vy, uy * vx) << 4);
}

/** 1 where the difference is surely above zero, 2 where it is below, 0 in doubt. */
function sureSign(left: number, right: number): number {
  const difference = left - right;
  const error = (Math.abs(left) + Math.abs(right)) * ERROR_SHARE;
  return difference > error ? 1 : difference < -error ? 2 : 0;
}
