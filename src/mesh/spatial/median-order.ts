import { LEAF_SIZE } from './bvh.js';

/** A vertex with more triangles has a group of its own. */
const MAX_VALENCE = 64;

/**
 * Returns the triangles in the order of a k-d tree (Bentley 1975), for meshes with many triangles at a vertex: a cell of
 * `mortonOrder` can hold any number of triangles if these are longer than they are apart. Each node of a BVH divides its
 * triangles at the median of their centroids, along the axis for which the two parts have the fewest common vertices.
 * The triangles of each vertex of high valence stay together. O(n log n).
 *
 * @returns slot → triangle
 */
export function medianOrder(positions: Float64Array, triangles: Uint32Array): Uint32Array {
  const hubs = findHubs(triangles, positions.length / 3);
  const order = Uint32Array.from({ length: triangles.length / 3 }, (_, triangle) => triangle);
  order.sort((a, b) => hubs[a] - hubs[b]);
  const centroids = new Float64Array(triangles.length); // triangle → three times its centroid
  for (let corner = 0; corner < triangles.length; corner++)
    for (let k = 0; k < 3; k++) centroids[Math.floor(corner / 3) * 3 + k] += positions[triangles[corner] * 3 + k];
  const marks = new Uint32Array(positions.length / 3); // vertex → the last division for which it was marked
  let division = 0;
  let capacity = LEAF_SIZE;
  while (capacity < order.length) capacity *= 2;
  for (let size = capacity; size > LEAF_SIZE; size /= 2) {
    for (let nodeFirst = 0; nodeFirst + size / 2 < order.length; nodeFirst += size) {
      const middle = nodeFirst + size / 2;
      let [first, end] = [middle, middle];
      while (first > nodeFirst && hubs[order[first - 1]] === hubs[order[middle]]) first--;
      while (end < Math.min(nodeFirst + size, order.length) && hubs[order[end]] === hubs[order[middle]]) end++;
      let [best, minCommon] = [0, Number.POSITIVE_INFINITY];
      for (let axis = 0; axis < 3; axis++) {
        selectSmallest(order, first, end, middle, centroids, axis);
        const common = countCommonVertices(triangles, order, first, middle, end, marks, ++division);
        if (common < minCommon) [best, minCommon] = [axis, common];
      }
      if (best < 2) selectSmallest(order, first, end, middle, centroids, best);
    }
  }
  return order;
}

/** Returns triangle → its vertex of the highest valence plus 1, or 0 if that has few triangles. */
function findHubs(triangles: Uint32Array, vertexCount: number): Uint32Array {
  const valences = new Uint32Array(vertexCount);
  for (let corner = 0; corner < triangles.length; corner++) valences[triangles[corner]]++;
  const hubs = new Uint32Array(triangles.length / 3);
  for (let corner = 0; corner < triangles.length; corner++) {
    const triangle = Math.floor(corner / 3);
    const hub = hubs[triangle];
    const maxValence = hub === 0 ? MAX_VALENCE : valences[hub - 1];
    if (valences[triangles[corner]] > maxValence) hubs[triangle] = triangles[corner] + 1;
  }
  return hubs;
}

/** Counts the vertices that triangles before slot `middle` have in common with those from there on. */
function countCommonVertices(
  triangles: Uint32Array,
  order: Uint32Array,
  first: number,
  middle: number,
  end: number,
  marks: Uint32Array,
  division: number,
): number {
  let count = 0;
  for (let slot = first; slot < middle; slot++)
    for (let k = 0; k < 3; k++) marks[triangles[order[slot] * 3 + k]] = division;
  for (let slot = middle; slot < end; slot++) {
    for (let k = 0; k < 3; k++) {
      const vertex = triangles[order[slot] * 3 + k];
      if (marks[vertex] !== division) continue;
      marks[vertex] = 0;
      count++;
    }
  }
  return count;
}

/**
 * Partitions the slots from `first` to before `end`, so that those before `middle` have the smallest coordinates
 * (quickselect, Hoare 1961). Ends after linear time on average; equal coordinates are divided evenly.
 */
function selectSmallest(
  order: Uint32Array,
  first: number,
  end: number,
  middle: number,
  centroids: Float64Array,
  axis: number,
): void {
  let [low, high] = [first, end - 1];
  while (low < high) {
    const pivot = centroids[order[(low + high) >> 1] * 3 + axis];
    let [i, j] = [low, high];
    while (i <= j) {
      while (centroids[order[i] * 3 + axis] < pivot) i++;
      while (centroids[order[j] * 3 + axis] > pivot) j--;
      if (i > j) break;
      const triangle = order[i];
      order[i++] = order[j];
      order[j--] = triangle;
    }
    if (middle <= j) high = j;
    else if (middle >= i) low = i;
    else return;
  }
}
