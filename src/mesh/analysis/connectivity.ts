import { findTwinsIfClosed } from '../topology/closed-twins.js';
import { buildEdges, type Edges, findTwins } from '../topology/edges.js';
import { findShells, findTwinShells, type Shells } from '../topology/shells.js';

/** Edges that a closed surface does not have: of each one half-edge, the first. */
export interface EdgeDefects {
  /** Those of one triangle. */
  boundary: number[];
  /** Those of more than two. */
  nonManifold: number[];
  /** Those of two triangles that walk them in the same direction. */
  inconsistent: number[];
}

/** How the triangles of a mesh hang together. */
export interface SurfaceConnectivity {
  /** As `findTwins` gives them. */
  twins: Int32Array;
  shells: Shells;
  edgeDefects: EdgeDefects;
}

/** Finds out how triangles hang together. Where the mesh is closed, which most are, its edges need not be sorted. */
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
