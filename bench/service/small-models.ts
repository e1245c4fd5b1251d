import { sphere } from '../../test/service/support/models.js';

/** A model for a small job. */
export interface SmallModel {
  triangles: number;
  stl: Uint8Array;
}

const HEADER_BYTES = 84;
const FACET_BYTES = 50;
const MISSING_COUNT = 50;
// Spheres of radius 50 mm at this distance intersect in a circle.
const SHIFT_MM = 60;

function joinStl(...parts: Uint8Array[]): Uint8Array {
  const triangles = Buffer.concat(parts.map((part) => part.subarray(HEADER_BYTES)));
  const stl = Buffer.concat([Buffer.alloc(HEADER_BYTES), triangles]);
  stl.writeUInt32LE(triangles.length / FACET_BYTES, HEADER_BYTES - 4);
  return stl;
}

function translateStl(stl: Uint8Array, byMm: number): Uint8Array {
  const copy = stl.slice();
  const view = new DataView(copy.buffer);
  for (let offset = HEADER_BYTES; offset < copy.length; offset += FACET_BYTES) {
    for (let x = offset + 12; x < offset + 48; x += 12) view.setFloat32(x, view.getFloat32(x, true) + byMm, true);
  }
  return copy;
}

function removeTriangles(stl: Uint8Array): Uint8Array {
  return stl.subarray(0, stl.length - MISSING_COUNT * FACET_BYTES);
}

function toSmallModel(stl: Uint8Array): SmallModel {
  return { triangles: (stl.length - HEADER_BYTES) / FACET_BYTES, stl };
}

/** Returns a broken model: two intersecting spheres of so many rows and columns, one with a hole. */
export function createIntersectingSpheres(rows: number, columns: number): SmallModel {
  return toSmallModel(joinStl(removeTriangles(sphere(rows, columns)), translateStl(sphere(rows, columns), SHIFT_MM)));
}

/**
 * Returns broken models of 2,000 to 10,000 triangles: spheres with a hole, and a pair of intersecting spheres, one with
 * a hole.
 */
export function createSmallModels(): SmallModel[] {
  return [
    ...[31, 46, 56, 67].map((rows) => toSmallModel(joinStl(removeTriangles(sphere(rows, rows + 8))))),
    createIntersectingSpheres(40, 48),
  ];
}

/** Returns a broken model of about 1,000 triangles, a different one for each index. */
export function createDifferentModel(index: number): Uint8Array {
  const stl = sphere(21, 25).slice(0, -5 * 50);
  const view = new DataView(stl.buffer);
  view.setUint32(80, (stl.length - 84) / 50, true);
  for (let offset = 84 + 12; offset < stl.length; offset += 50) {
    for (let k = 0; k < 36; k += 12)
      view.setFloat32(offset + k, view.getFloat32(offset + k, true) * (1 + index / 1000), true);
  }
  return stl;
}
