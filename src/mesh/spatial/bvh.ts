import type { Box3 } from '../core/mesh.js';
import { computeBounds, maxExtentOf } from '../geometry/bounds.js';
import { mortonOrder } from './morton-order.js';

/** Triangles per leaf. With 2 and with 8, finding pairs among a million triangles is slower. */
export const LEAF_SIZE = 4;

/**
 * Float32 boxes are wider than triangles by up to 2^-10 of the extent where coordinates are larger than it by this
 * factor.
 */
const MAX_FLOAT32_FACTOR = 2 ** 12;

/** Boxes as min x, y, z, max x, y, z. Float64 takes twice the memory, and is used where float32 is too coarse. */
export type Boxes = Float32Array | Float64Array;

/**
 * A bounding volume hierarchy over triangles: a complete binary tree without pointers over the triangles in Morton
 * order (Lauterbach et al. 2009, linear BVH).
 *
 * Node 1 is the root. The children of node n are 2n and 2n + 1. Leaf l is node `firstLeaf` + l and holds the triangles
 * `order[l * LEAF_SIZE …]`. A tree by the surface area heuristic takes ten times as long to build and is not faster to
 * query on meshes.
 */
export interface Bvh {
  /** slot → triangle */
  order: Uint32Array;
  /** The number of the first leaf's node, which is also the number of leaves. */
  firstLeaf: number;
  /** node → min x, y, z, max x, y, z, rounded outward; an empty node has `min` above `max` */
  nodeBoxes: Boxes;
  /** slot → box of its triangle, as above */
  boxes: Boxes;
}

/** Sorts the triangles of a mesh with the given bounds, so that neighbors in space are neighbors in the order. */
type TriangleSort = (positions: Float64Array, triangles: Uint32Array, box: Box3) => Uint32Array;

/** Builds the BVH of all triangles of a mesh in linear time. `sort`: returns slot → triangle. Default: the Morton order. */
export function buildBvh(positions: Float64Array, triangles: Uint32Array, sort: TriangleSort = mortonOrder): Bvh {
  const tree = createUnfilledBvh(positions, triangles, (bytes) => new ArrayBuffer(bytes), sort);
  fillBvhBelow(1, tree, positions, triangles);
  return tree;
}

/**
 * Creates a BVH without boxes: sorts the triangles, which takes about a third of the time of `buildBvh`. `fillBvhBelow` writes
 * the boxes.
 *
 * @param allocate creates the memory of the boxes
 * @param sort returns slot → triangle. Default: the Morton order.
 */
export function createUnfilledBvh(
  positions: Float64Array,
  triangles: Uint32Array,
  allocate: (bytes: number) => ArrayBufferLike,
  sort: TriangleSort = mortonOrder,
): Bvh {
  const count = triangles.length / 3;
  const bounds = computeBounds(positions);
  const order = sort(positions, triangles, bounds);
  const isFar = isFarFromZero(bounds);
  const createBoxes = (boxCount: number): Boxes =>
    isFar ? new Float64Array(allocate(boxCount * 48)) : new Float32Array(allocate(boxCount * 24));
  let firstLeaf = 1;
  while (firstLeaf * LEAF_SIZE < count) firstLeaf *= 2;
  return { order, firstLeaf, nodeBoxes: createBoxes(firstLeaf * 2), boxes: createBoxes(count) };
}

/** Writes the boxes of a node, of its descendants and of their triangles. */
export function fillBvhBelow(root: number, tree: Bvh, positions: Float64Array, triangles: Uint32Array): void {
  const { order, firstLeaf, nodeBoxes, boxes } = tree;
  let { first, end } = leavesBelow(root, firstLeaf);
  const endSlot = Math.min(order.length, (end - firstLeaf) * LEAF_SIZE);
  for (let slot = (first - firstLeaf) * LEAF_SIZE; slot < endSlot; slot++)
    writeBox(positions, triangles, order[slot] * 3, boxes, slot * 6);
  for (let leaf = first; leaf < end; leaf++) writeLeaf(tree, leaf);
  while (first > root) {
    first /= 2;
    end /= 2;
    for (let node = first; node < end; node++) mergeChildren(nodeBoxes, node * 6);
  }
}

/** Writes the boxes of the nodes above a level of which all boxes are written. `firstNode`: its leftmost node. */
export function fillBvhAbove(firstNode: number, { nodeBoxes }: Bvh): void {
  for (let node = firstNode - 1; node > 0; node--) mergeChildren(nodeBoxes, node * 6);
}

/** Returns whether float32 boxes would be far wider than the triangles. */
function isFarFromZero(box: Box3): boolean {
  const maxCoordinate = Math.max(...box.min.map(Math.abs), ...box.max.map(Math.abs));
  return maxCoordinate > maxExtentOf(box) * MAX_FLOAT32_FACTOR;
}

/**
 * Refits the BVH after a triangle changed.
 *
 * @param slot index of the triangle in `order`
 */
export function refitTriangle(tree: Bvh, positions: Float64Array, triangles: Uint32Array, slot: number): void {
  const { order, firstLeaf, nodeBoxes, boxes } = tree;
  writeBox(positions, triangles, order[slot] * 3, boxes, slot * 6);
  const leaf = firstLeaf + Math.floor(slot / LEAF_SIZE);
  writeLeaf(tree, leaf);
  for (let node = leaf >> 1; node > 0; node >>= 1) mergeChildren(nodeBoxes, node * 6);
}

/** Writes the box of a leaf as the union of the boxes of its triangles. */
function writeLeaf({ order, firstLeaf, nodeBoxes, boxes }: Bvh, leaf: number): void {
  for (let k = 0; k < 3; k++) {
    nodeBoxes[leaf * 6 + k] = Number.POSITIVE_INFINITY;
    nodeBoxes[leaf * 6 + 3 + k] = Number.NEGATIVE_INFINITY;
  }
  const first = (leaf - firstLeaf) * LEAF_SIZE;
  const end = Math.min(first + LEAF_SIZE, order.length);
  for (let slot = first; slot < end; slot++) expand(nodeBoxes, leaf * 6, boxes, slot * 6);
}

/** Returns the first leaf below a node, and the end of its leaves. They have consecutive numbers. */
export function leavesBelow(node: number, firstLeaf: number): { first: number; end: number } {
  const count = firstLeaf >> (31 - Math.clz32(node)); // halves with each level
  return { first: node * count, end: (node + 1) * count };
}

/** Returns the bounds of all triangles, rounded outward. */
export function boundsOfBvh({ nodeBoxes }: Bvh): Box3 {
  const [minX, minY, minZ, maxX, maxY, maxZ] = nodeBoxes.subarray(6, 12); // node 1
  return { min: [minX, minY, minZ], max: [maxX, maxY, maxZ] };
}

/** Writes the box of the triangle whose first corner is at index `first` of `triangles`. */
function writeBox(positions: Float64Array, triangles: Uint32Array, first: number, boxes: Boxes, offset: number): void {
  const roundDown = boxes.BYTES_PER_ELEMENT === 4 ? roundDownToFloat32 : roundDownToFloat64;
  const a = triangles[first] * 3;
  const b = triangles[first + 1] * 3;
  const c = triangles[first + 2] * 3;
  // Unrolled over the axes: half of the time to build a tree is spent here.
  const ax = positions[a];
  const bx = positions[b];
  const cx = positions[c];
  boxes[offset] = roundDown(Math.min(ax, bx, cx));
  boxes[offset + 3] = -roundDown(-Math.max(ax, bx, cx));
  const ay = positions[a + 1];
  const by = positions[b + 1];
  const cy = positions[c + 1];
  boxes[offset + 1] = roundDown(Math.min(ay, by, cy));
  boxes[offset + 4] = -roundDown(-Math.max(ay, by, cy));
  const az = positions[a + 2];
  const bz = positions[b + 2];
  const cz = positions[c + 2];
  boxes[offset + 2] = roundDown(Math.min(az, bz, cz));
  boxes[offset + 5] = -roundDown(-Math.max(az, bz, cz));
}

/** Returns a float32 that is not above `value`, and at most a few ulps below it. */
function roundDownToFloat32(value: number): number {
  const nearest = Math.fround(value);
  return nearest <= value ? nearest : Math.fround(nearest - Math.abs(nearest) * 1.2e-7 - 1e-44);
}

/** Returns a float64 a few ulps below `value`: queries that are not exact miss no box by a rounding error. */
function roundDownToFloat64(value: number): number {
  return value - Math.abs(value) * 1e-15;
}

/** Expands the box at offset `to` of `target` to contain the box at offset `from` of `source`. */
function expand(target: Boxes, to: number, source: Boxes, from: number): void {
  for (let k = 0; k < 3; k++) {
    if (source[from + k] < target[to + k]) target[to + k] = source[from + k];
    if (source[from + 3 + k] > target[to + 3 + k]) target[to + 3 + k] = source[from + 3 + k];
  }
}

/** Writes the union of both children's boxes to the box at `offset`. */
function mergeChildren(boxes: Boxes, offset: number): void {
  const left = offset * 2;
  const right = left + 6;
  for (let k = 0; k < 3; k++) {
    boxes[offset + k] = Math.min(boxes[left + k], boxes[right + k]);
    boxes[offset + 3 + k] = Math.max(boxes[left + 3 + k], boxes[right + 3 + k]);
  }
}

/**
 * Calls `visit` with each triangle whose box touches the box between `min` and `max`, until it returns false. Returns the
 * number of nodes and triangles that were visited.
 *
 * @param isSkipped returns whether the triangles below a node are skipped. Default: none.
 */
export function forEachTriangleInBox(
  tree: Bvh,
  min: ArrayLike<number>,
  max: ArrayLike<number>,
  visit: (triangle: number) => unknown,
  isSkipped?: (node: number) => boolean,
): number {
  const { order, firstLeaf, nodeBoxes, boxes } = tree;
  const box = [min[0], min[1], min[2], max[0], max[1], max[2]];
  const stack = [1];
  let visitCount = 0;
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    visitCount++;
    if (!boxesOverlap(nodeBoxes, node * 6, box) || isSkipped?.(node)) continue;
    if (node < firstLeaf) {
      stack.push(node * 2 + 1, node * 2);
      continue;
    }
    const first = (node - firstLeaf) * LEAF_SIZE;
    const end = Math.min(order.length, first + LEAF_SIZE);
    visitCount += end - first;
    for (let slot = first; slot < end; slot++)
      if (boxesOverlap(boxes, slot * 6, box) && visit(order[slot]) === false) return visitCount;
  }
  return visitCount;
}

/**
 * Returns whether the box at an offset of `boxes` touches a box. Unrolled over the axes, since it takes most of the
 * time of a query.
 */
function boxesOverlap(boxes: Boxes, offset: number, box: readonly number[]): boolean {
  return (
    boxes[offset] <= box[3] &&
    boxes[offset + 3] >= box[0] &&
    boxes[offset + 1] <= box[4] &&
    boxes[offset + 4] >= box[1] &&
    boxes[offset + 2] <= box[5] &&
    boxes[offset + 5] >= box[2]
  );
}
