import type { ReportWarning } from '../../analysis/report.js';
import type { OnProgress } from '../../core/mesh.js';
import { MeshError } from '../../core/mesh-error.js';
import { pluralize } from '../../core/pluralize.js';
import { Float32VertexTable } from '../../welding/float32-vertex-table.js';
import type { ParsedModel } from '../format.js';
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
  const facetCount = countFacets(bytes, warnings);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  // A closed mesh has about half as many vertices as triangles.
  const vertices = new Float32VertexTable(facetCount >> 1);
  const triangles = new Uint32Array(facetCount * 3);
  const block = new Int32Array(FACETS_PER_BLOCK * 9);
  let kept = 0;
  for (let first = 0; first < facetCount; first += FACETS_PER_BLOCK) {
    const length = readFacets(view, first, Math.min(facetCount, first + FACETS_PER_BLOCK), block);
    indexCorners(vertices, block, length, triangles, kept);
    kept += length / 3;
    if ((first & 0xffff) === 0) onProgress?.(first / facetCount);
  }
  if (kept < triangles.length) warnings.push(notFiniteWarning((triangles.length - kept) / 3));
  return {
    mesh: {
      positions: vertices.toPositions(),
      triangles: kept < triangles.length ? triangles.slice(0, kept) : triangles,
    },
    warnings,
  };
}

/**
 * Copies the corners of all valid facets from `first` to `end` to `block` as bit patterns. Returns how many numbers
 * were written.
 *
 * Processes blocks, with the nine reads unrolled: V8 optimizes short functions that are called often early, and an
 * inner loop over nine values takes three times as long.
 */
function readFacets(view: DataView, first: number, end: number, block: Int32Array): number {
  let length = 0;
  for (let facet = first; facet < end; facet++) {
    const offset = STL_HEADER_BYTES + facet * STL_FACET_BYTES + 12;
    const ax = view.getInt32(offset, true);
    const ay = view.getInt32(offset + 4, true);
    const az = view.getInt32(offset + 8, true);
    const bx = view.getInt32(offset + 12, true);
    const by = view.getInt32(offset + 16, true);
    const bz = view.getInt32(offset + 20, true);
    const cx = view.getInt32(offset + 24, true);
    const cy = view.getInt32(offset + 28, true);
    const cz = view.getInt32(offset + 32, true);
    const a = coordinateOverflowBits(ax) & coordinateOverflowBits(ay) & coordinateOverflowBits(az);
    const b = coordinateOverflowBits(bx) & coordinateOverflowBits(by) & coordinateOverflowBits(bz);
    const c = coordinateOverflowBits(cx) & coordinateOverflowBits(cy) & coordinateOverflowBits(cz);
    if ((a & b & c) >= 0) continue;
    block[length] = ax;
    block[length + 1] = ay;
    block[length + 2] = az;
    block[length + 3] = bx;
    block[length + 4] = by;
    block[length + 5] = bz;
    block[length + 6] = cx;
    block[length + 7] = cy;
    block[length + 8] = cz;
    length += 9;
  }
  return length;
}

/**
 * Writes the vertex indices of the first `length` numbers of `block` to `triangles`, from triangle corner `start` on.
 */
function indexCorners(
  vertices: Float32VertexTable,
  block: Int32Array,
  length: number,
  triangles: Uint32Array,
  start: number,
): void {
  let next = start;
  for (let offset = 0; offset < length; offset += 3) {
    triangles[next++] = vertices.add(block[offset], block[offset + 1], block[offset + 2]);
  }
}

/** Returns the warning for triangles that were skipped because of an invalid coordinate. */
export function notFiniteWarning(count: number): ReportWarning {
  return {
    code: 'NOT_FINITE',
    message: `${pluralize(count, 'triangle')} with invalid or out-of-range coordinates ${count === 1 ? 'was' : 'were'} skipped.`,
  };
}

/** Returns how many facets to read, and adds a warning if the header disagrees with the length of the file. */
function countFacets(bytes: Uint8Array, warnings: ReportWarning[]): number {
  if (bytes.length < STL_HEADER_BYTES) {
    throw new MeshError(
      'FILE_MALFORMED',
      `Invalid STL: a binary STL has at least ${STL_HEADER_BYTES} bytes, this file has ${bytes.length}.`,
    );
  }
  const declaredCount = new DataView(bytes.buffer, bytes.byteOffset).getUint32(80, true);
  const capacity = Math.floor((bytes.length - STL_HEADER_BYTES) / STL_FACET_BYTES);
  const remainderBytes = bytes.length - STL_HEADER_BYTES - capacity * STL_FACET_BYTES;
  if (declaredCount === capacity && remainderBytes === 0) return capacity;
  if (declaredCount > capacity) {
    warnings.push({
      code: 'TRUNCATED',
      message: `The header declares ${pluralize(declaredCount, 'triangle')}; the file contains ${capacity}, which were read.`,
    });
    return capacity;
  }
  if (remainderBytes === 0 || declaredCount === 0) {
    warnings.push({
      code: 'COUNT_WRONG',
      message: `The header declares ${pluralize(declaredCount, 'triangle')}; the file contains ${capacity}, which were all read.`,
    });
    return capacity;
  }
  const trailingBytes = bytes.length - STL_HEADER_BYTES - declaredCount * STL_FACET_BYTES;
  warnings.push({
    code: 'TRAILING_BYTES',
    message: `${pluralize(trailingBytes, 'byte')} after ${pluralize(declaredCount, 'triangle')} ${trailingBytes === 1 ? 'was' : 'were'} ignored.`,
  });
  return declaredCount;
}
