import { lazy } from '../core/lazy.js';
import type { MeshGeometry } from '../core/mesh.js';
import { findTwinsIfClosed } from './closed-twins.js';
import { buildEdges, type Edges, findTwins } from './edges.js';
import { countClosedFans } from './fans.js';
import { findShells, findTwinShells, type Shells } from './shells.js';

/** Edges that a watertight mesh does not have. Each is represented by its first half-edge, in the order of `Edges`. */
export interface EdgeDefects {
  /** Edges of one triangle. */
  boundary: number[];
  /** Edges of more than two triangles. */
  nonManifold: number[];
  /** Of each of `nonManifold`: its number of triangles. */
  triangleCounts: number[];
  /** Edges whose two triangles traverse them in the same direction. */
  inconsistent: number[];
}

/**
 * How the triangles of a mesh are connected. Each part is computed when it is first requested, and kept. The edges of a
 * closed mesh are sorted only if they are requested themselves.
 */
export interface Connectivity {
  /** Whether the mesh has triangles and each half-edge has a twin. */
  isClosed(): boolean;
  edges(): Edges;
  /** half-edge → its twin, as returned by `findTwins` */
  twins(): Int32Array;
  /** Triangles connected through edges, as returned by `findShells`. */
  shells(): Shells;
  edgeDefects(): EdgeDefects;
  /** Number of fans beyond one per vertex. 0 if the mesh is not closed. */
  extraFanCount(): number;
}

/** Creates the connectivity of a mesh. Computes nothing yet. */
export function createConnectivity({ positions, triangles }: MeshGeometry): Connectivity {
  const vertexCount = positions.length / 3;
  const closedTwins = lazy(() => (triangles.length > 0 ? findTwinsIfClosed(triangles, vertexCount) : undefined));
  const isClosed = () => closedTwins() !== undefined;
  const edges = lazy(() => buildEdges(triangles, vertexCount));
  const twins = lazy(() => closedTwins() ?? findTwins(triangles, edges()));
  return {
    isClosed,
    edges,
    twins,
    shells: lazy(() => (isClosed() ? findTwinShells(twins()) : findShells(triangles.length / 3, edges()))),
    edgeDefects: lazy(() => (isClosed() ? createNoDefects() : classifyEdges(triangles, edges()))),
    extraFanCount: lazy(() => (isClosed() ? countClosedFans(twins()) - countUsedVertices(triangles, vertexCount) : 0)),
  };
}

function createNoDefects(): EdgeDefects {
  return { boundary: [], nonManifold: [], triangleCounts: [], inconsistent: [] };
}

function classifyEdges(triangles: Uint32Array, { order, starts }: Edges): EdgeDefects {
  const edgeDefects = createNoDefects();
  for (let edge = 0; edge + 1 < starts.length; edge++) {
    const h = order[starts[edge]];
    const count = starts[edge + 1] - starts[edge];
    if (count === 1) edgeDefects.boundary.push(h);
    else if (count > 2) {
      edgeDefects.nonManifold.push(h);
      edgeDefects.triangleCounts.push(count);
    } else if (triangles[h] === triangles[order[starts[edge] + 1]]) edgeDefects.inconsistent.push(h);
  }
  return edgeDefects;
}

function countUsedVertices(triangles: Uint32Array, vertexCount: number): number {
  const isUsed = new Uint8Array(vertexCount);
  for (let i = 0; i < triangles.length; i++) isUsed[triangles[i]] = 1;
  let count = 0;
  for (let vertex = 0; vertex < vertexCount; vertex++) count += isUsed[vertex];
  return count;
}
