import type { IndexedMesh } from '../mesh.js';
import { turnAlong } from '../spatial/predicates.js';

/**
 * vertex → 1 where the triangles round it cannot meet but along what they share: seen along some axis all of them turn the same way, and they
 * go round the vertex once, so they lie side by side as on paper. Exact where it says 1; most vertices of a surface are such, and the pairs of
 * triangles there, most pairs of all, need no test of their own. Closed meshes only: each edge has two triangles.
 */
export function markSimpleFans({ positions, triangles }: Pick<IndexedMesh, 'positions' | 'triangles'>): Uint8Array {
  const axisOf = findAxes(positions, triangles);
  const count = axisOf.length;
  const turnOf = new Int8Array(count); // vertex → how its triangles turn; 0 for none yet
  const rounds = new Uint8Array(count); // vertex → how often they go round it
  const isMixed = new Uint8Array(count); // vertex → 1 where they turn both ways
  for (let at = 0; at < triangles.length; at += 3) {
    let axis = -1;
    let turn = 0;
    for (let k = 0; k < 3; k++) {
      const v = triangles[at + k];
      if (axisOf[v] !== axis) {
        axis = axisOf[v];
        turn = turnAlong(axis, positions, triangles[at], triangles[at + 1], triangles[at + 2]);
      }
      if (turn === 0 || turnOf[v] === -turn) isMixed[v] = 1;
      turnOf[v] = turn;
      // The side across from v, walked counter-clockwise: `turnAlong` is below zero for that.
      const next = triangles[at + ((k + 1) % 3)];
      const last = triangles[at + ((k + 2) % 3)];
      const height = axis === 2 ? 1 : 2;
      const from = positions[(turn < 0 ? next : last) * 3 + height];
      const to = positions[(turn < 0 ? last : next) * 3 + height];
      const own = positions[v * 3 + height];
      // Each time round, one side comes from below the vertex to its height or above, to its right.
      if (from < own && to >= own && rounds[v] < 2) rounds[v]++;
    }
  }
  for (let v = 0; v < count; v++) isMixed[v] = isMixed[v] === 0 && rounds[v] === 1 ? 1 : 0;
  return isMixed;
}

/** vertex → the axis that its normal leans to most: along it the triangles round it are seen best. */
function findAxes(positions: Float64Array, triangles: Uint32Array): Uint8Array {
  const normals = new Float32Array(positions.length);
  for (let at = 0; at < triangles.length; at += 3) {
    const a = triangles[at] * 3;
    const b = triangles[at + 1] * 3;
    const c = triangles[at + 2] * 3;
    const ux = positions[b] - positions[a];
    const uy = positions[b + 1] - positions[a + 1];
    const uz = positions[b + 2] - positions[a + 2];
    const vx = positions[c] - positions[a];
    const vy = positions[c + 1] - positions[a + 1];
    const vz = positions[c + 2] - positions[a + 2];
    const x = uy * vz - uz * vy;
    const y = uz * vx - ux * vz;
    const z = ux * vy - uy * vx;
    for (const corner of [a, b, c]) {
      normals[corner] += x;
      normals[corner + 1] += y;
      normals[corner + 2] += z;
    }
  }
  const axisOf = new Uint8Array(positions.length / 3);
  for (let v = 0; v < axisOf.length; v++) {
    const x = Math.abs(normals[v * 3]);
    const y = Math.abs(normals[v * 3 + 1]);
    const z = Math.abs(normals[v * 3 + 2]);
    axisOf[v] = x >= y && x >= z ? 0 : y >= z ? 1 : 2;
  }
  return axisOf;
}
