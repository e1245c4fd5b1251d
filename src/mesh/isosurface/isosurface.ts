import { GrowableFloat64Array } from '../core/growable-float64-array.js';
import type { IndexedMesh } from '../core/mesh.js';
import { findQuads, type Quads } from './find-quads.js';
import { makeWellComposed } from './make-well-composed.js';
import type { SparseField } from './sparse-field.js';
import { triangulateQuad } from './triangulate-quad.js';

/**
 * Minimum distance of a vertex from the faces of its cube, in cubes. It keeps triangles from degenerating and sheets of
 * the surface from touching.
 */
const MIN_FACE_DISTANCE = 0.02;

export interface IsosurfaceOptions {
  /** The side that grows where the surface would not be manifold. */
  growingSide: 'inside' | 'outside';
  /** Moves a vertex, x, y, z in mm. It stays in its cube in any case. */
  moveVertex?: (point: Float64Array) => void;
}

/**
 * Extracts the surface where a field is zero as a mesh that faces away from the negative side (surface nets, Gibson
 * 1998): a vertex in each cube that the surface crosses, and a quadrilateral around each edge that it crosses. The mesh
 * is closed, manifold and free of intersections for any field:
 *
 * 1. The body is made well-composed, which changes the signs of the field at some corners.
 * 2. The surface then crosses the boundary of each cube in one closed curve. The cone from the vertex over this curve
 *    does not intersect itself, and stays in the cube.
 * 3. Each quadrilateral is triangulated within the cones of its cubes.
 */
export function isosurface(field: SparseField, { growingSide, moveVertex }: IsosurfaceOptions): IndexedMesh {
  makeWellComposed(field, growingSide);
  const quads = findQuads(field);
  const { min, stepMm } = field.lattice;
  const positions = new GrowableFloat64Array();
  positions.pushAll(placeVertices(quads, min, stepMm, moveVertex));
  const triangles = new GrowableFloat64Array();
  for (let quad = 0; quad * 4 < quads.corners.length; quad++)
    triangulateQuad(quads, quad, field.lattice, positions, triangles);
  return { positions: positions.values().slice(), triangles: Uint32Array.from(triangles.values()) };
}

/** Returns the positions of the vertices in mm: the means of their crossings, moved, but inside their cubes. */
function placeVertices(
  { cubes, means }: Quads,
  min: readonly [number, number, number],
  stepMm: number,
  moveVertex: IsosurfaceOptions['moveVertex'],
): Float64Array {
  const positions = new Float64Array(means.length);
  const point = new Float64Array(3);
  for (let offset = 0; offset < means.length; offset += 3) {
    for (let k = 0; k < 3; k++) point[k] = min[k] + (cubes[offset + k] + means[offset + k]) * stepMm;
    moveVertex?.(point);
    for (let k = 0; k < 3; k++) {
      const first = min[k] + (cubes[offset + k] + MIN_FACE_DISTANCE) * stepMm;
      const last = min[k] + (cubes[offset + k] + 1 - MIN_FACE_DISTANCE) * stepMm;
      positions[offset + k] = Math.min(last, Math.max(first, point[k]));
    }
  }
  return positions;
}
