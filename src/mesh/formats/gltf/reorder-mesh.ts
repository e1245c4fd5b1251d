import { MeshoptEncoder } from 'meshoptimizer/encoder';
import { callMeshopt } from '../../preview/call-meshopt.js';
import { UNUSED } from '../../topology/compact.js';

/** An order of the vertices of lines or triangles in which they compress well. */
export interface MeshOrder {
  /** The corners in their new order, as new vertices. */
  indices: Uint32Array;
  /** vertex → new vertex, or `UNUSED` */
  newVertexOf: Uint32Array;
  vertexCount: number;
}

/** Corners whose vertices are split: each copy has a limited number of corners. */
export interface SplitCorners {
  /** corner → copy */
  copies: Uint32Array;
  /** copy → vertex. The first copy of a vertex has its number. */
  vertexOf: Uint32Array;
}

/** The search for the next triangle takes time proportional to the square of the corners at a vertex. */
export const MAX_CORNERS_PER_COPY = 64;

/**
 * Splits the vertices with more than `MAX_CORNERS_PER_COPY` corners into copies that have at most so many each. Linear
 * time. Returns `undefined` if there are none.
 */
export function splitVertices(corners: Uint32Array): SplitCorners | undefined {
  const vertexCount = corners.reduce((max, vertex) => Math.max(max, vertex + 1), 0);
  const cornerCounts = new Uint32Array(vertexCount);
  let addedCount = 0;
  for (const vertex of corners) {
    if (++cornerCounts[vertex] > MAX_CORNERS_PER_COPY && cornerCounts[vertex] % MAX_CORNERS_PER_COPY === 1)
      addedCount++;
  }
  if (addedCount === 0) return undefined;
  const vertexOf = Uint32Array.from({ length: vertexCount + addedCount }, (_, copy) => copy);
  const copies = new Uint32Array(corners.length);
  /** vertex → its last copy */
  const lastCopyOf = vertexOf.slice(0, vertexCount);
  cornerCounts.fill(0);
  let copyCount = vertexCount;
  for (const [corner, vertex] of corners.entries()) {
    if (cornerCounts[vertex] > 0 && cornerCounts[vertex] % MAX_CORNERS_PER_COPY === 0) {
      vertexOf[copyCount] = vertex;
      lastCopyOf[vertex] = copyCount++;
    }
    cornerCounts[vertex]++;
    copies[corner] = lastCopyOf[vertex];
  }
  return { copies, vertexOf };
}

/**
 * Orders lines or triangles, given by their corners, so that they compress well (meshoptimizer). Takes linear time,
 * whatever the number of triangles at a vertex.
 */
export function reorderMesh(corners: Uint32Array, isTriangles: boolean): MeshOrder {
  const split = isTriangles ? splitVertices(corners) : undefined;
  const indices = (split?.copies ?? corners).slice();
  const [newVertexOf, vertexCount] = callMeshopt(() => MeshoptEncoder.reorderMesh(indices, isTriangles, true));
  return split
    ? mergeCopies({ indices, newVertexOf, vertexCount }, split.vertexOf)
    : { indices, newVertexOf, vertexCount };
}

/** Numbers vertices instead of their copies, in the order of their first use. */
function mergeCopies(order: MeshOrder, vertexOf: Uint32Array): MeshOrder {
  /** new copy → vertex */
  const sourceOf = new Uint32Array(order.vertexCount);
  for (const [copy, newCopy] of order.newVertexOf.entries()) if (newCopy !== UNUSED) sourceOf[newCopy] = vertexOf[copy];
  const newVertexOf = new Uint32Array(vertexOf.length).fill(UNUSED);
  let vertexCount = 0;
  const indices = order.indices.map((newCopy) => {
    const vertex = sourceOf[newCopy];
    if (newVertexOf[vertex] === UNUSED) newVertexOf[vertex] = vertexCount++;
    return newVertexOf[vertex];
  });
  return { indices, newVertexOf, vertexCount };
}
