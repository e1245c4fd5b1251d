import type { ReportWarning } from '../../analysis/report.js';
import type { OnProgress } from '../../core/mesh.js';
import { MeshError } from '../../core/mesh-error.js';
import { pluralize } from '../../core/pluralize.js';
import { Float32VertexTable } from '../../welding/float32-vertex-table.js';
import { coordinateOverflowBits } from '../coordinate-range.js';
import type { ParsedModel } from '../parsed-model.js';

/** Bytes before the first facet: 80 of header, 4 of count. */
export const STL_HEAD_BYTES = 84;
/** Bytes of a facet: a normal and three corners of three float32 each, and two bytes that mean nothing to us. */
export const STL_FACET_BYTES = 50;
const FACETS_PER_BLOCK = 256;

/**
 * Reads a binary STL. The stored normals are ignored: the order of the corners tells the side. The count in the header may lie:
 * what the file's length has room for decides, except that bytes after the counted facets that are no whole facets are garbage.
 * Facets with a coordinate that cannot be one are dropped and counted.
 */
export function parseStlBinary(bytes: Uint8Array, onProgress?: OnProgress): ParsedModel {
  const warnings: ReportWarning[] = [];
  const facetCount = countFacets(bytes, warnings);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  // A closed mesh has half as many vertices as triangles.
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
      positions: vertices.positions(),
      triangles: kept < triangles.length ? triangles.slice(0, kept) : triangles,
    },
    warnings,
  };
}

/**
 * Reads the corners of the facets from `first` to `end` into `block`, those that can be placed, and answers how many numbers these are. By blocks
 * and with the nine reads written out: what is short and called often is compiled soon, and a loop over nine values in it takes three times as long.
 */
function readFacets(view: DataView, first: number, end: number, block: Int32Array): number {
  let length = 0;
  for (let facet = first; facet < end; facet++) {
    const offset = STL_HEAD_BYTES + facet * STL_FACET_BYTES + 12;
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

/** Writes the vertices of the first `length` numbers of `block` to `triangles`, from `kept` on. */
function indexCorners(
  vertices: Float32VertexTable,
  block: Int32Array,
  length: number,
  triangles: Uint32Array,
  kept: number,
): void {
  let next = kept;
  for (let offset = 0; offset < length; offset += 3) {
    triangles[next++] = vertices.indexOf(block[offset], block[offset + 1], block[offset + 2]);
  }
}

/** The warning for triangles that were left out because a coordinate cannot be one. */
export function notFiniteWarning(count: number): ReportWarning {
  return {
    code: 'NOT_FINITE',
    message: `${pluralize(count, 'triangle has', 'triangles have')} a coordinate that is no number, or beyond all measure: left out`,
  };
}

function countFacets(bytes: Uint8Array, warnings: ReportWarning[]): number {
  if (bytes.length < STL_HEAD_BYTES) {
    throw new MeshError(
      'FILE_MALFORMED',
      `A binary STL has ${STL_HEAD_BYTES} bytes or more, this file has ${bytes.length}`,
    );
  }
  const stated = new DataView(bytes.buffer, bytes.byteOffset).getUint32(80, true);
  const room = Math.floor((bytes.length - STL_HEAD_BYTES) / STL_FACET_BYTES);
  const rest = bytes.length - STL_HEAD_BYTES - room * STL_FACET_BYTES;
  if (stated === room && rest === 0) return room;
  if (stated > room) {
    warnings.push({
      code: 'TRUNCATED',
      message: `The header counts ${pluralize(stated, 'triangle')}, the file holds ${room}: these were read`,
    });
    return room;
  }
  if (rest === 0 || stated === 0) {
    warnings.push({
      code: 'COUNT_WRONG',
      message: `The header counts ${pluralize(stated, 'triangle')}, the file holds ${room}: all were read`,
    });
    return room;
  }
  const extra = bytes.length - STL_HEAD_BYTES - stated * STL_FACET_BYTES;
  warnings.push({
    code: 'TRAILING_BYTES',
    message: `${pluralize(extra, 'byte')} after the last of ${pluralize(stated, 'triangle')} left out`,
  });
  return stated;
}
