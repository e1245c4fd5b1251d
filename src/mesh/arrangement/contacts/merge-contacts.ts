import type { WorkCounter } from '../../core/work-counter.js';
import { splitFans } from '../../editing/split-fans.js';
import { createMeshState, type MeshState } from '../../spatial/mesh-index.js';
import { appendPositions } from '../../topology/tagged-mesh.js';
import type { EdgeSplit } from '../../triangulation/edge-splits.js';
import { createEdgePoints, splitTriangleAtPoints } from '../../triangulation/split-at-points.js';
import { netBoundary, triangulatePlanarRegion } from '../../triangulation/triangulate-planar-region.js';
import { type Edge, findNearSplits, mergeNearVertices } from './conform-edges.js';
import { type ContactRegion, findContactRegions } from './find-contact-regions.js';

/** Splitting an edge bends it by up to the tolerance, so that it may meet others: they are split in the next round. */
const MAX_ROUNDS = 6;

/** The result of `mergeContacts`. */
export interface MergedContacts {
  state: MeshState;
  /** Number of regions in which bodies touch. */
  regionCount: number;
}

/** A mesh whose triangles are being split. */
interface Surface {
  positions: Float64Array;
  /** triangle → its three corners, one after the other */
  corners: number[];
  /** triangle → the triangle of the source that it is a part of */
  parents: number[];
}

/**
 * Merges the bodies of a closed mesh that touch at faces: both surfaces end where the contact does, and share their
 * vertices there.
 *
 * 1. Finds the regions in which triangles face each other.
 * 2. Splits the boundaries of all regions where they meet, with the triangles beyond them, so that those of two bodies
 *    have the same vertices and edges.
 * 3. Triangulates what is left of each region: where one triangle faces another, both cancel.
 *
 * The union is thereby exact, but for the rounding of crossings and a displacement of up to `toleranceMm` of vertices
 * that nearly match. A later perturbation cannot open a slit at the contact.
 *
 * @param work counts pairs and rays
 * @returns `undefined` if no bodies touch at faces, the result is not closed, or the work exceeds its limit
 */
export function mergeContacts(
  { mesh, index }: MeshState,
  toleranceMm: number,
  work: WorkCounter,
): MergedContacts | undefined {
  const regions = findContactRegions(index, toleranceMm, work);
  if (regions === undefined || regions.length === 0) return undefined;
  const regionOf = new Map<number, number>(); // triangle of the source → region
  regions.forEach(({ members }, region) => {
    for (const triangle of members) regionOf.set(triangle, region);
  });
  const parents = [...mesh.objectOf.keys()];
  let surface: Surface = { positions: mesh.positions, corners: [...mesh.triangles], parents };
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const conforming = conformOnce(surface, regionOf, toleranceMm);
    if (conforming === undefined) break;
    surface = conforming;
  }
  const { positions, corners, parents: sources } = cancelContacts(surface, regions, regionOf, mesh.objectOf);
  const objectOf = Uint32Array.from(sources, (parent) => mesh.objectOf[parent]);
  const { state } = splitFans(createMeshState({ positions, triangles: Uint32Array.from(corners), objectOf }));
  return state.index.isClosed() ? { state, regionCount: regions.length } : undefined;
}

/** Lists the triangles of each region, by their index in the surface. */
function groupByRegion({ parents }: Surface, regionOf: ReadonlyMap<number, number>): Map<number, number[]> {
  const trianglesOf = new Map<number, number[]>();
  parents.forEach((parent, triangle) => {
    const region = regionOf.get(parent);
    if (region === undefined) return;
    const triangles = trianglesOf.get(region);
    if (triangles) triangles.push(triangle);
    else trianglesOf.set(region, [triangle]);
  });
  return trianglesOf;
}

function listCorners({ corners }: Surface, triangles: readonly number[]): number[] {
  return triangles.flatMap((triangle) => corners.slice(triangle * 3, triangle * 3 + 3));
}

/** Merges near vertices of the boundaries of the regions, and splits their edges. `undefined` if there are none. */
function conformOnce(
  surface: Surface,
  regionOf: ReadonlyMap<number, number>,
  toleranceMm: number,
): Surface | undefined {
  const listBoundary = (source: Surface): Edge[] => {
    const vertexCount = source.positions.length / 3;
    const edges = new Map<string, Edge>();
    for (const triangles of groupByRegion(source, regionOf).values())
      for (const { from, to } of netBoundary(listCorners(source, triangles), vertexCount))
        edges.set(`${Math.min(from, to)} ${Math.max(from, to)}`, { from, to });
    return [...edges.values()];
  };
  const replacements = mergeNearVertices(surface.positions, listBoundary(surface), toleranceMm);
  const isMerged = replacements.some((replacement, vertex) => replacement !== vertex);
  const merged = isMerged ? replaceVertices(surface, replacements) : surface;
  const newPositions: number[] = [];
  const splits = findNearSplits(merged.positions, listBoundary(merged), toleranceMm, newPositions);
  if (splits.length === 0) return isMerged ? merged : undefined;
  return splitEdges({ ...merged, positions: appendPositions(merged.positions, newPositions) }, splits);
}

/** Replaces vertices. Drops triangles with two equal corners. */
function replaceVertices({ positions, corners, parents }: Surface, replacements: Uint32Array): Surface {
  const result: Surface = { positions, corners: [], parents: [] };
  parents.forEach((parent, triangle) => {
    const [a, b, c] = [0, 1, 2].map((k) => replacements[corners[triangle * 3 + k]]);
    if (a === b || b === c || c === a) return;
    result.corners.push(a, b, c);
    result.parents.push(parent);
  });
  return result;
}

/** Splits all triangles at these edges. */
function splitEdges({ positions, corners, parents }: Surface, splits: readonly EdgeSplit[]): Surface {
  const onEdges = createEdgePoints(positions.length / 3);
  for (const { from, to, points } of splits) onEdges.set(from, to, points);
  const result: Surface = { positions, corners: [], parents: [] };
  const isSplit = (from: number, to: number) => onEdges.between(from, to).length > 0;
  parents.forEach((parent, triangle) => {
    const [a, b, c] = corners.slice(triangle * 3, triangle * 3 + 3);
    const mustSplit = isSplit(a, b) || isSplit(b, c) || isSplit(c, a);
    for (const corner of mustSplit ? splitTriangleAtPoints([a, b, c], onEdges) : [a, b, c]) result.corners.push(corner);
    while (result.parents.length * 3 < result.corners.length) result.parents.push(parent);
  });
  return result;
}

/** Replaces the triangles of each region by a triangulation of its boundary. A region without one stays as it is. */
function cancelContacts(
  surface: Surface,
  regions: readonly ContactRegion[],
  regionOf: ReadonlyMap<number, number>,
  objectOf: Uint32Array,
): Surface {
  const { positions, corners, parents } = surface;
  const isReplaced = new Uint8Array(parents.length);
  const result: Surface = { positions, corners: [], parents: [] };
  for (const [region, triangles] of groupByRegion(surface, regionOf)) {
    const replacement = triangulatePlanarRegion(
      positions,
      listCorners(surface, triangles),
      regions[region].axis,
      Number.POSITIVE_INFINITY,
    );
    if (replacement === undefined) continue;
    for (const triangle of triangles) isReplaced[triangle] = 1;
    const hasOneObject = triangles.every((triangle) => objectOf[parents[triangle]] === objectOf[parents[triangles[0]]]);
    for (let offset = 0; offset < replacement.length; offset += 3) {
      const added = replacement.slice(offset, offset + 3);
      const source = hasOneObject ? triangles[0] : findSource(surface, triangles, added, regions[region].axis);
      result.corners.push(...added);
      result.parents.push(parents[source]);
    }
  }
  parents.forEach((parent, triangle) => {
    if (isReplaced[triangle] === 1) return;
    result.corners.push(...corners.slice(triangle * 3, triangle * 3 + 3));
    result.parents.push(parent);
  });
  return result;
}

/** Finds the triangle of a region that contains the centroid of a new one and faces the same way. Default: the first. */
function findSource(
  { positions, corners }: Surface,
  triangles: readonly number[],
  added: readonly number[],
  axis: number,
): number {
  const [u, v] = [(axis + 1) % 3, (axis + 2) % 3];
  const centroid = [u, v].map((k) => added.reduce((sum, vertex) => sum + positions[vertex * 3 + k] / 3, 0));
  const areaWith = (a: number, b: number, x: number, y: number) =>
    (positions[b * 3 + u] - positions[a * 3 + u]) * (y - positions[a * 3 + v]) -
    (positions[b * 3 + v] - positions[a * 3 + v]) * (x - positions[a * 3 + u]);
  const areaOf = ([a, b, c]: readonly number[]) => areaWith(a, b, positions[c * 3 + u], positions[c * 3 + v]);
  const sign = Math.sign(areaOf(added));
  const source = triangles.find((triangle) => {
    const [a, b, c] = corners.slice(triangle * 3, triangle * 3 + 3);
    return [
      [a, b],
      [b, c],
      [c, a],
    ].every(([from, to]) => areaWith(from, to, centroid[0], centroid[1]) * sign >= 0);
  });
  return source ?? triangles[0];
}
