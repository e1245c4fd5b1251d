import { sphere } from '../../test/service/support/models.js';

/** A model for a small job. */
export interface SmallModel {
  triangles: number;
  stl: Uint8Array;
}

const HEADER = 84;
const TRIANGLE = 50;
const MISSING = 50;
// Radius 50 mm each: they cross in a circle.
const SHIFT_MM = 60;

const stlOf = (...parts: Uint8Array[]): Uint8Array => {
  const triangles = Buffer.concat(parts.map((part) => part.subarray(HEADER)));
  const stl = Buffer.concat([Buffer.alloc(HEADER), triangles]);
  stl.writeUInt32LE(triangles.length / TRIANGLE, HEADER - 4);
  return stl;
};

const moved = (stl: Uint8Array, byMm: number): Uint8Array => {
  const copy = stl.slice();
  const view = new DataView(copy.buffer);
  for (let offset = HEADER; offset < copy.length; offset += TRIANGLE) {
    for (let x = offset + 12; x < offset + 48; x += 12) view.setFloat32(x, view.getFloat32(x, true) + byMm, true);
  }
  return copy;
};

const withHole = (stl: Uint8Array): Uint8Array => stl.subarray(0, stl.length - MISSING * TRIANGLE);

const asModel = (stl: Uint8Array): SmallModel => ({ triangles: (stl.length - HEADER) / TRIANGLE, stl });

/** Broken models of 2,000 to 10,000 triangles: spheres with a hole, and one pair of spheres that cross, of which one has a hole. */
export const smallModels = (): SmallModel[] => [
  ...[31, 46, 56, 67].map((rows) => asModel(stlOf(withHole(sphere(rows, rows + 8))))),
  asModel(stlOf(withHole(sphere(40, 48)), moved(sphere(40, 48), SHIFT_MM))),
];
