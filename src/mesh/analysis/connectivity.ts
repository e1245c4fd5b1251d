import { findTwinsIfClosed } from '../topology/closed-twins.js';
import { buildEdges, type Edges, findTwins } from '../topology/edges.js';
import { findShells, findTwinShells, type Shells } from '../topology/shells.js';

/** Edges that a watertight mesh does not have. Each is represented by its first half-edge. */
export interface EdgeDefects {
  /** Edges of one triangle. */
  boundary: number[];
  /** Edges of more than two triangles. */
  nonManifold: number[];
  /** Edges whose two triangles traverse them in the same direction. */
  inconsistent: number[];
}

/** How the triangles of a mesh are connected. */
export interface SurfaceConnectivity {
  /** half-edge → its twin, as returned by `findTwins` */
  twins: Int32Array;
  shells: Shells;
  edgeDefects: EdgeDefects;
}

/**
 * Computes how the triangles of a mesh are connected. Most meshes are closed; edges are sorted only if the mesh is not.
 */
export function buildConnectivity(triangles: Uint32Array, vertexCount: number): SurfaceConnectivity {
  const closed = findTwinsIfClosed(triangles, vertexCount);
  if (closed)
    return {
      twins: closed,
      shells: findTwinShells(closed),
      edgeDefects: { boundary: [], nonManifold: [], inconsistent: [] },
    };
  const edges = buildEdges(triangles, vertexCount);
  const shells = findShells(triangles.length / 3, edges);
  return { twins: findTwins(triangles, edges), shells, edgeDefects: classifyEdges(triangles, edges) };
}

function classifyEdges(triangles: Uint32Array, { order, starts }: Edges): EdgeDefects {
  const edgeDefects: EdgeDefects = { boundary: [], nonManifold: [], inconsistent: [] };
  for (let edge = 0; edge + 1 < starts.length; edge++) {
    const h = order[starts[edge]];
    const count = starts[edge + 1] - starts[edge];
    if (count === 1) edgeDefects.boundary.push(h);
    else if (count > 2) edgeDefects.nonManifold.push(h);
    else if (triangles[h] === triangles[order[starts[edge] + 1]]) edgeDefects.inconsistent.push(h);
  }
  return edgeDefects;
}
