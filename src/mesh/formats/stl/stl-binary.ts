import type { ReportWarning } from '../../analysis/report.js';
import type { OnProgress } from '../../core/mesh.js';
import { MeshError } from '../../core/mesh-error.js';
import { pluralize } from '../../core/pluralize.js';
import { Float32VertexTable } from '../../welding/float32-vertex-table.js';
import type { ParsedModel, ReaderWarning } from '../format.js';
import { coordinateOverflowBits } from '../reading/coordinate-range.js';
import { STL_FACET_BYTES, STL_HEADER_BYTES } from './stl-layout.js';

const FACETS_PER_BLOCK = 256;

/**
 * Parses a binary STL. Ignores the stored normals: the winding determines the orientation. The facet count in the
 * header may be wrong, so the length of the file decides how many facets are read. If the bytes after the declared
 * facets are not complete facets, they are ignored. Skips and counts facets with an invalid coordinate.
 */
export function parseStlBinary(bytes: Uint8Array, onProgress?: OnProgress): ParsedModel {
  const warnings: ReportWarning[] = [];
  const { facetCount, readFraction } = countFacets(bytes, warnings);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  // A closed mesh has about half as many vertices as triangles.
  const vertices = new Float32VertexTable((facetCount >> 1) + FACETS_PER_BLOCK * 4);
  const triangles = new Uint32Array(facetCount * 3);
  let kept = 0;
  const addFacets = (first: number, end: number) => {
    const offset = cornersOffset(first);
    vertices.addTriangles(view, offset, end - first, STL_FACET_BYTES, triangles, kept);
    kept += (end - first) * 3;
  };
  for (let first = 0; first < facetCount; first += FACETS_PER_BLOCK) {
    const end = Math.min(facetCount, first + FACETS_PER_BLOCK);
    if (areValid(view, first, end)) addFacets(first, end);
    else
      for (let facet = first; facet < end; facet++) if (areValid(view, facet, facet + 1)) addFacets(facet, facet + 1);
    if ((first & 0xffff) === 0) onProgress?.(first / facetCount);
  }
  if (kept < triangles.length) warnings.push(notFiniteWarning((triangles.length - kept) / 3));
  return {
    mesh: {
      positions: vertices.toPositions(),
      triangles: kept < triangles.length ? triangles.slice(0, kept) : triangles,
    },
    warnings,
    readFraction,
  };
}

/** Returns the offset of the corners of a facet: its normal precedes them. */
function cornersOffset(facet: number): number {
  return STL_HEADER_BYTES + facet * STL_FACET_BYTES + 12;
}

/**
 * Returns whether all coordinates of the facets from `first` to before `end` are valid. The nine reads are unrolled: an
 * inner loop takes three times as long.
 */
function areValid(view: DataView, first: number, end: number): boolean {
  let bits = -1;
  for (let facet = first; facet < end; facet++) {
    const offset = cornersOffset(facet);
    bits &=
      coordinateOverflowBits(view.getInt32(offset, true)) &
      coordinateOverflowBits(view.getInt32(offset + 4, true)) &
      coordinateOverflowBits(view.getInt32(offset + 8, true)) &
      coordinateOverflowBits(view.getInt32(offset + 12, true)) &
      coordinateOverflowBits(view.getInt32(offset + 16, true)) &
      coordinateOverflowBits(view.getInt32(offset + 20, true)) &
      coordinateOverflowBits(view.getInt32(offset + 24, true)) &
      coordinateOverflowBits(view.getInt32(offset + 28, true)) &
      coordinateOverflowBits(view.getInt32(offset + 32, true));
  }
  return bits < 0;
}

/** Returns the warning for triangles that were skipped because of an invalid coordinate. */
export function notFiniteWarning(count: number): ReaderWarning {
  return {
    code: 'NOT_FINITE',
    message: `${pluralize(count, 'triangle')} with invalid or out-of-range coordinates ${count === 1 ? 'was' : 'were'} skipped.`,
    skipped: { triangles: count },
  };
}

/**
 * Returns how many facets to read, and which fraction of a truncated file they are. Adds a warning if the header disagrees
 * with the length of the file.
 */
function countFacets(
  bytes: Uint8Array,
  warnings: ReaderWarning[],
): { facetCount: number; readFraction?: number | undefined } {
  if (bytes.length < STL_HEADER_BYTES) {
    throw new MeshError(
      'FILE_MALFORMED',
      `Invalid STL: a binary STL has at least ${STL_HEADER_BYTES} bytes, this file has ${bytes.length}.`,
    );
  }
  const declaredCount = new DataView(bytes.buffer, bytes.byteOffset).getUint32(80, true);
  const capacity = Math.floor((bytes.length - STL_HEADER_BYTES) / STL_FACET_BYTES);
  const remainderBytes = bytes.length - STL_HEADER_BYTES - capacity * STL_FACET_BYTES;
  if (declaredCount === capacity && remainderBytes === 0) return { facetCount: capacity };
  if (declaredCount > capacity) {
    warnings.push({
      code: 'TRUNCATED',
      message: `The header declares ${pluralize(declaredCount, 'triangle')}; the file contains ${capacity}, which were read.`,
      skipped: { triangles: declaredCount - capacity },
    });
    return { facetCount: capacity, readFraction: capacity / declaredCount };
  }
  if (remainderBytes === 0 || declaredCount === 0) {
    warnings.push({
      code: 'COUNT_WRONG',
      message: `The header declares ${pluralize(declaredCount, 'triangle')}; the file contains ${capacity}, which were all read.`,
    });
    return { facetCount: capacity };
  }
  const trailingBytes = bytes.length - STL_HEADER_BYTES - declaredCount * STL_FACET_BYTES;
  warnings.push({
    code: 'TRAILING_BYTES',
    message: `${pluralize(trailingBytes, 'byte')} after ${pluralize(declaredCount, 'triangle')} ${trailingBytes === 1 ? 'was' : 'were'} ignored.`,
  });
  return { facetCount: declaredCount };
}
