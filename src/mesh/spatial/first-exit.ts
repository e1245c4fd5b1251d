import type { MeshGeometry } from '../core/mesh.js';
import { type Boxes, type Bvh, LEAF_SIZE } from './bvh.js';

/** With more triangles in the region than this, each ray searches the BVH: that is faster than to test all of them. */
const MAX_CANDIDATES = 32;
/** The intersection of a ray with a triangle in the region takes as long as the visits of so many nodes. */
const VISITS_PER_CANDIDATE = 4;
/** The same of a triangle that a search finds: it is seldom in the cache. */
const VISITS_PER_TRIANGLE = 16;

/**
 * Finds the first triangle that a ray crosses from back to front: the exit from the solid that it starts in. Not exact:
 * a ray exactly along an edge may miss both triangles.
 *
 * `setRegion` collects the triangles for several rays. One search of the BVH instead of five, for five short rays from a
 * point, halves the time.
 */
export class FirstExitQuery {
  readonly #mesh: MeshGeometry;
  readonly #tree: Bvh;
  // Large enough: at most two nodes per level are pending.
  readonly #stack = new Int32Array(128);
  /** The triangles in the region, in the order of a search. */
  readonly #candidates = new Int32Array(MAX_CANDIDATES);
  /** -1 if there are more than `MAX_CANDIDATES`. */
  #candidateCount = -1;
  /** The length of the last ray up to its exit; the length of the ray if there is none. */
  exitMm = 0;
  /** The work of all searches, in visits of nodes of the BVH. */
  visitCount = 0;

  /** @param tree the BVH of `mesh` */
  constructor(mesh: MeshGeometry, tree: Bvh) {
    this.#mesh = mesh;
    this.#tree = tree;
  }

  /** Sets the box that contains the following rays: min x, y, z, max x, y, z. */
  setRegion(region: Float64Array): void {
    const { order, firstLeaf, nodeBoxes, boxes } = this.#tree;
    const stack = this.#stack;
    this.#candidateCount = 0;
    let depth = 0;
    stack[depth++] = 1;
    while (depth > 0) {
      const node = stack[--depth];
      this.visitCount++;
      if (!boxesOverlap(nodeBoxes, node * 6, region)) continue;
      if (node < firstLeaf) {
        stack[depth++] = node * 2;
        stack[depth++] = node * 2 + 1;
        continue;
      }
      const first = (node - firstLeaf) * LEAF_SIZE;
      const end = Math.min(order.length, first + LEAF_SIZE);
      this.visitCount += end - first;
      for (let slot = first; slot < end; slot++) {
        if (!boxesOverlap(boxes, slot * 6, region)) continue;
        if (this.#candidateCount === MAX_CANDIDATES) {
          this.#candidateCount = -1;
          return;
        }
        this.#candidates[this.#candidateCount++] = order[slot];
      }
    }
  }

  /**
   * Returns the triangle that a ray in the region leaves through; -1 if it does not leave.
   *
   * @param directions unit vectors
   * @param offset index of the ray's direction in `directions`
   * @param reachMm length of the ray
   * @param skippedTriangle the triangle that the ray starts on
   */
  find(from: Float64Array, directions: Float64Array, offset: number, reachMm: number, skippedTriangle: number): number {
    if (this.#candidateCount < 0) return this.#search(from, directions, offset, reachMm, skippedTriangle);
    const x = from[0];
    const y = from[1];
    const z = from[2];
    const dx = directions[offset];
    const dy = directions[offset + 1];
    const dz = directions[offset + 2];
    let exit = -1;
    let exitMm = reachMm;
    this.visitCount += this.#candidateCount * VISITS_PER_CANDIDATE;
    for (let i = 0; i < this.#candidateCount; i++) {
      const triangle = this.#candidates[i];
      if (triangle === skippedTriangle) continue;
      const distanceMm = exitDistance(this.#mesh, triangle * 3, x, y, z, dx, dy, dz);
      if (distanceMm > exitMm) continue;
      exitMm = distanceMm;
      exit = triangle;
    }
    this.exitMm = exitMm;
    return exit;
  }

  /** As `find`, by the BVH. */
  #search(
    from: Float64Array,
    directions: Float64Array,
    offset: number,
    reachMm: number,
    skippedTriangle: number,
  ): number {
    const { order, firstLeaf, nodeBoxes, boxes } = this.#tree;
    const stack = this.#stack;
    const x = from[0];
    const y = from[1];
    const z = from[2];
    const dx = directions[offset];
    const dy = directions[offset + 1];
    const dz = directions[offset + 2];
    const ix = inverse(dx);
    const iy = inverse(dy);
    const iz = inverse(dz);
    let exit = -1;
    let exitMm = reachMm;
    let depth = 0;
    stack[depth++] = 1;
    while (depth > 0) {
      const node = stack[--depth];
      this.visitCount++;
      if (!rayIntersectsBox(x, y, z, ix, iy, iz, exitMm, nodeBoxes, node * 6)) continue;
      if (node < firstLeaf) {
        stack[depth++] = node * 2;
        stack[depth++] = node * 2 + 1;
        continue;
      }
      const first = (node - firstLeaf) * LEAF_SIZE;
      const end = Math.min(order.length, first + LEAF_SIZE);
      this.visitCount += end - first;
      for (let slot = first; slot < end; slot++) {
        const triangle = order[slot];
        if (triangle === skippedTriangle || !rayIntersectsBox(x, y, z, ix, iy, iz, exitMm, boxes, slot * 6)) continue;
        this.visitCount += VISITS_PER_TRIANGLE;
        const distanceMm = exitDistance(this.#mesh, triangle * 3, x, y, z, dx, dy, dz);
        if (distanceMm > exitMm) continue;
        exitMm = distanceMm;
        exit = triangle;
      }
    }
    this.exitMm = exitMm;
    return exit;
  }
}

/** Returns whether the box at an offset of `boxes` touches a region. */
function boxesOverlap(boxes: Boxes, offset: number, region: Float64Array): boolean {
  return (
    boxes[offset] <= region[3] &&
    boxes[offset + 3] >= region[0] &&
    boxes[offset + 1] <= region[4] &&
    boxes[offset + 4] >= region[1] &&
    boxes[offset + 2] <= region[5] &&
    boxes[offset + 5] >= region[2]
  );
}

/**
 * Computes the distance along a ray at which it crosses a triangle from back to front (Möller and Trumbore 1997).
 * Infinite if it does not.
 */
function exitDistance(
  { positions: p, triangles }: MeshGeometry,
  offset: number,
  x: number,
  y: number,
  z: number,
  dx: number,
  dy: number,
  dz: number,
): number {
  const a = triangles[offset] * 3;
  const b = triangles[offset + 1] * 3;
  const c = triangles[offset + 2] * 3;
  const ux = p[b] - p[a];
  const uy = p[b + 1] - p[a + 1];
  const uz = p[b + 2] - p[a + 2];
  const vx = p[c] - p[a];
  const vy = p[c + 1] - p[a + 1];
  const vz = p[c + 2] - p[a + 2];
  const qx = dy * vz - dz * vy;
  const qy = dz * vx - dx * vz;
  const qz = dx * vy - dy * vx;
  const determinant = ux * qx + uy * qy + uz * qz; // negative if the ray comes from behind
  if (determinant >= 0) return Number.POSITIVE_INFINITY;
  const wx = x - p[a];
  const wy = y - p[a + 1];
  const wz = z - p[a + 2];
  const s = (wx * qx + wy * qy + wz * qz) / determinant;
  if (s < 0 || s > 1) return Number.POSITIVE_INFINITY;
  const rx = wy * uz - wz * uy;
  const ry = wz * ux - wx * uz;
  const rz = wx * uy - wy * ux;
  const t = (dx * rx + dy * ry + dz * rz) / determinant;
  if (t < 0 || s + t > 1) return Number.POSITIVE_INFINITY;
  const distance = (vx * rx + vy * ry + vz * rz) / determinant;
  return distance >= 0 ? distance : Number.POSITIVE_INFINITY;
}

/** Returns the inverse of a part of a direction. Finite, so that no product with it is NaN. */
function inverse(part: number): number {
  return part === 0 ? 1e300 : 1 / part;
}

/** Returns whether a ray of length `reachMm` may intersect a box (slab test, Kay and Kajiya 1986). */
function rayIntersectsBox(
  x: number,
  y: number,
  z: number,
  ix: number,
  iy: number,
  iz: number,
  reachMm: number,
  boxes: Boxes,
  offset: number,
): boolean {
  if (boxes[offset] > boxes[offset + 3]) return false; // an empty node
  const nearX = (boxes[offset] - x) * ix;
  const farX = (boxes[offset + 3] - x) * ix;
  let enter = nearX < farX ? nearX : farX;
  let leave = nearX < farX ? farX : nearX;
  if (leave < 0 || enter > reachMm) return false;
  const nearY = (boxes[offset + 1] - y) * iy;
  const farY = (boxes[offset + 4] - y) * iy;
  enter = Math.max(enter, nearY < farY ? nearY : farY);
  leave = Math.min(leave, nearY < farY ? farY : nearY);
  if (leave < 0 || enter > reachMm || enter > leave) return false;
  const nearZ = (boxes[offset + 2] - z) * iz;
  const farZ = (boxes[offset + 5] - z) * iz;
  enter = Math.max(enter, nearZ < farZ ? nearZ : farZ);
  leave = Math.min(leave, nearZ < farZ ? farZ : nearZ);
  return !(leave < 0 || enter > reachMm || enter > leave);
}
