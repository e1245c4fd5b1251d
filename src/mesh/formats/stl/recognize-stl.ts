import type { Content } from '../recognition/content.js';
import { isBinaryStlSize, STL_FACET_BYTES, STL_HEADER_BYTES } from './stl-layout.js';
import { CORNER, isBinaryStl } from './stl-reader.js';

/** The number of facets that are checked if the length does not match the count. */
const CHECKED_FACETS = 10;
const MAX_COORDINATE = 1e7;
const NORMAL_TOLERANCE = 1e-3;
/** A text without a corner near its beginning: it has a long comment, or no facets. */
const BEGINNING = /^[^a-z]*solid\b[\s\S]*\b(?:facet|endsolid)\b/i;

/** Returns whether content is an STL: text with its keywords, or binary facets, whose number may not match the count. */
export function recognizeStl({ bytes, start }: Content): boolean {
  if (!isBinaryStl(bytes)) return CORNER.test(start) || BEGINNING.test(start);
  const hasFacet = bytes.length >= STL_HEADER_BYTES + STL_FACET_BYTES;
  return hasFacet && (isBinaryStlSize(bytes) || hasPlausibleFacets(bytes));
}

/** Returns whether the first facets have small coordinates and normals of length 0 or 1, at least one of 1. */
function hasPlausibleFacets(bytes: Uint8Array): boolean {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const count = Math.min(CHECKED_FACETS, Math.floor((bytes.length - STL_HEADER_BYTES) / STL_FACET_BYTES));
  let unitCount = 0;
  for (let facet = 0; facet < count; facet++) {
    const offset = STL_HEADER_BYTES + facet * STL_FACET_BYTES;
    const values = Array.from({ length: 12 }, (_, i) => view.getFloat32(offset + i * 4, true));
    const normalLength = Math.hypot(...values.slice(0, 3));
    const isUnit = Math.abs(normalLength - 1) < NORMAL_TOLERANCE;
    if (!isUnit && normalLength !== 0) return false;
    if (!values.every((value) => Math.abs(value) < MAX_COORDINATE)) return false; // false for NaN
    if (isUnit) unitCount++;
  }
  return unitCount > 0;
}
