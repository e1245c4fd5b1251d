import type { MeshGeometry } from '../core/mesh.js';
import { type Bvh, buildBvh, LEAF_SIZE } from './bvh.js';

/** The square of the distance of a point from a triangle (its first corner at `offset` of `triangles`), its inside, sides and corners alike. */
export function squaredDistanceToTriangle(
  { positions, triangles }: MeshGeometry,
  offset: number,
  x: number,
  y: number,
  z: number,
): number {
  const a = triangles[offset] * 3;
  const b = triangles[offset + 1] * 3;
  const c = triangles[offset + 2] * 3;
  const px = x - positions[a];
  const py = y - positions[a + 1];
  const pz = z - positions[a + 2];
  const ux = positions[b] - positions[a];
  const uy = positions[b + 1] - positions[a + 1];
  const uz = positions[b + 2] - positions[a + 2];
  const vx = positions[c] - positions[a];
  const vy = positions[c + 1] - positions[a + 1];
  const vz = positions[c + 2] - positions[a + 2];
  const uu = ux * ux + uy * uy + uz * uz;
  const uv = ux * vx + uy * vy + uz * vz;
  const vv = vx * vx + vy * vy + vz * vz;
  const up = ux * px + uy * py + uz * pz;
  const vp = vx * px + vy * py + vz * pz;
  const area = uu * vv - uv * uv;
  let nearest = Number.POSITIVE_INFINITY;
  const isFlat = area <= 1e-14 * uu * vv;
  const s = (vv * up - uv * vp) / area;
  const t = (uu * vp - uv * up) / area;
  if (s >= 0 && t >= 0 && s + t <= 1 && !isFlat) {
    return squared(px - s * ux - t * vx, py - s * uy - t * vy, pz - s * uz - t * vz);
  }
  // Not over its inside: the nearest point is on a side that faces it. Without area all may.
  if (t < 0 || isFlat) nearest = squaredDistanceToSegment(px, py, pz, ux, uy, uz);
  if (s < 0 || isFlat) nearest = Math.min(nearest, squaredDistanceToSegment(px, py, pz, vx, vy, vz));
  if (s + t > 1 || isFlat) {
    nearest = Math.min(nearest, squaredDistanceToSegment(px - ux, py - uy, pz - uz, vx - ux, vy - uy, vz - uz));
  }
  return nearest;
}

const squared = (x: number, y: number, z: number): number => x * x + y * y + z * z;

/** From p to the segment from the origin to d. */
function squaredDistanceToSegment(px: number, py: number, pz: number, dx: number, dy: number, dz: number): number {
  const length = squared(dx, dy, dz);
  const along = length > 0 ? Math.min(1, Math.max(0, (px * dx + py * dy + pz * dz) / length)) : 0;
  return squared(px - along * dx, py - along * dy, pz - along * dz);
}

/**
 * Tells how far points are from a mesh. It begins with the triangle that was nearest to the point before: points that follow each other
 * closely are found fast.
 */
export class DistanceQuery {
  readonly #mesh: MeshGeometry;
  readonly #tree: Bvh;
  // A path through the tree never holds more: two nodes a level.
  readonly #stack = new Int32Array(128);
  readonly #stackDistance = new Float64Array(128);
  /** The triangle that was nearest to the last point. */
  nearest = 0;

  constructor(mesh: MeshGeometry, tree: Bvh = buildBvh(mesh.positions, mesh.triangles)) {
    this.#mesh = mesh;
    this.#tree = tree;
  }

  /** The distance of a point from the surface; of a mesh without triangles infinite. Where it is at most `goodEnough`, any such distance. */
  distanceAt(x: number, y: number, z: number, goodEnough = 0): number {
    const { order, firstLeaf } = this.#tree;
    if (order.length === 0) return Number.POSITIVE_INFINITY;
    let best = squaredDistanceToTriangle(this.#mesh, this.nearest * 3, x, y, z);
    const goal = goodEnough * goodEnough;
    let depth = 0;
    this.#push(depth++, 1, this.#squaredDistanceToBox(1, x, y, z));
    while (depth > 0 && best > goal) {
      depth--;
      const node = this.#stack[depth];
      if (this.#stackDistance[depth] >= best) continue;
      if (node < firstLeaf) {
        const left = this.#squaredDistanceToBox(node * 2, x, y, z);
        const right = this.#squaredDistanceToBox(node * 2 + 1, x, y, z);
        const nearer = left <= right ? node * 2 : node * 2 + 1;
        if (Math.max(left, right) < best)
          this.#push(depth++, nearer === node * 2 ? node * 2 + 1 : node * 2, Math.max(left, right));
        if (Math.min(left, right) < best) this.#push(depth++, nearer, Math.min(left, right));
        continue;
      }
      const first = (node - firstLeaf) * LEAF_SIZE;
      const end = Math.min(order.length, first + LEAF_SIZE);
      for (let slot = first; slot < end; slot++) {
        const candidate = squaredDistanceToTriangle(this.#mesh, order[slot] * 3, x, y, z);
        if (candidate >= best) continue;
        best = candidate;
        this.nearest = order[slot];
      }
    }
    return Math.sqrt(best);
  }

  #push(depth: number, node: number, distance: number): void {
    this.#stack[depth] = node;
    this.#stackDistance[depth] = distance;
  }

  /** The square of the distance of a point from the box of a node; infinite for an empty one. */
  #squaredDistanceToBox(node: number, x: number, y: number, z: number): number {
    const { nodeBoxes } = this.#tree;
    const offset = node * 6;
    const dx = Math.max(nodeBoxes[offset] - x, 0, x - nodeBoxes[offset + 3]);
    const dy = Math.max(nodeBoxes[offset + 1] - y, 0, y - nodeBoxes[offset + 4]);
    const dz = Math.max(nodeBoxes[offset + 2] - z, 0, z - nodeBoxes[offset + 5]);
    return dx * dx + dy * dy + dz * dz;
  }
}
