import type { IndexedMesh } from '../../core/mesh.js';
import { toFloat32Positions } from '../writing/to-float32-positions.js';
import { STL_FACET_BYTES, STL_HEADER_BYTES } from './stl-layout.js';

/** Even, so that each chunk begins with a pair of facets (see `serializeFacets`). */
const FACETS_PER_CHUNK = 8_000;

/**
 * Serializes a mesh as binary STL: coordinates rounded to float32, and unit normals, 0 0 1 for degenerate triangles.
 * Throws `TOO_LARGE` for a coordinate beyond float32.
 *
 * Readers derived from admesh, PrusaSlicer among them, treat a file as text and then hang, unless a byte above 127 is
 * among the 128 bytes after the header: `markAsBinary` ensures that. Others test whether the file begins with `solid`:
 * the header does not.
 */
export function* serializeStlBinary(mesh: IndexedMesh): Iterable<Uint8Array> {
  const { triangles } = mesh;
  const triangleCount = triangles.length / 3;
  const rounded = toFloat32Positions(mesh.positions, 'STL');
  yield createHeader(triangleCount);
  for (let first = 0; first < triangleCount; first += FACETS_PER_CHUNK) {
    const chunk = serializeFacets(rounded, triangles, first, Math.min(triangleCount, first + FACETS_PER_CHUNK));
    if (first === 0) markAsBinary(chunk);
    yield chunk;
  }
}

function createHeader(triangleCount: number): Uint8Array {
  const bytes = new Uint8Array(STL_HEADER_BYTES).fill(0x20, 0, 80);
  const text = 'Binary STL \xb7 millimetres \xb7 Model Processing';
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  new DataView(bytes.buffer).setUint32(80, triangleCount, true);
  return bytes;
}

/**
 * Serializes the facets from `first` to `end`. Two facets take 25 words of four bytes; the second facet is misaligned
 * by half a word.
 */
function serializeFacets(positions: Float32Array, triangles: Uint32Array, first: number, end: number): Uint8Array {
  const byteLength = (end - first) * STL_FACET_BYTES;
  const words = new Int32Array(Math.ceil(byteLength / 4));
  const bits = new Int32Array(positions.buffer, positions.byteOffset, positions.length);
  const normal = new Float32Array(3);
  const normalBits = new Int32Array(normal.buffer);
  for (let triangle = first, word = 0; triangle < end; triangle++) {
    const a = triangles[triangle * 3] * 3;
    const b = triangles[triangle * 3 + 1] * 3;
    const c = triangles[triangle * 3 + 2] * 3;
    writeNormal(normal, positions, a, b, c);
    if (((triangle - first) & 1) === 0) writeFacet(words, word, normalBits, bits, a, b, c);
    else {
      writeUnalignedFacet(words, word + 12, normalBits, bits, a, b, c);
      word += 25;
    }
  }
  return new Uint8Array(words.buffer, 0, byteLength);
}

function writeNormal(normal: Float32Array, positions: Float32Array, a: number, b: number, c: number): void {
  const ux = positions[b] - positions[a];
  const uy = positions[b + 1] - positions[a + 1];
  const uz = positions[b + 2] - positions[a + 2];
  const vx = positions[c] - positions[a];
  const vy = positions[c + 1] - positions[a + 1];
  const vz = positions[c + 2] - positions[a + 2];
  const nx = uy * vz - uz * vy;
  const ny = uz * vx - ux * vz;
  const nz = ux * vy - uy * vx;
  const length = Math.sqrt(nx * nx + ny * ny + nz * nz);
  const scale = length > 0 ? 1 / length : 0;
  normal[0] = nx * scale + 0;
  normal[1] = ny * scale + 0;
  normal[2] = length > 0 ? nz * scale + 0 : 1;
}

/**
 * Writes a normal and three corners as bit patterns: twelve words from `offset` on. `a`, `b` and `c` are offsets into
 * `bits`.
 */
function writeFacet(
  words: Int32Array,
  offset: number,
  normal: Int32Array,
  bits: Int32Array,
  a: number,
  b: number,
  c: number,
): void {
  words[offset] = normal[0];
  words[offset + 1] = normal[1];
  words[offset + 2] = normal[2];
  words[offset + 3] = bits[a];
  words[offset + 4] = bits[a + 1];
  words[offset + 5] = bits[a + 2];
  words[offset + 6] = bits[b];
  words[offset + 7] = bits[b + 1];
  words[offset + 8] = bits[b + 2];
  words[offset + 9] = bits[c];
  words[offset + 10] = bits[c + 1];
  words[offset + 11] = bits[c + 2];
}

/**
 * Writes a facet that begins in the middle of the word at `offset`. The first half of that word is the attribute byte
 * count of the previous facet.
 */
function writeUnalignedFacet(
  words: Int32Array,
  offset: number,
  normal: Int32Array,
  bits: Int32Array,
  a: number,
  b: number,
  c: number,
): void {
  words[offset] = normal[0] << 16;
  words[offset + 1] = (normal[0] >>> 16) | (normal[1] << 16);
  words[offset + 2] = (normal[1] >>> 16) | (normal[2] << 16);
  words[offset + 3] = (normal[2] >>> 16) | (bits[a] << 16);
  words[offset + 4] = (bits[a] >>> 16) | (bits[a + 1] << 16);
  words[offset + 5] = (bits[a + 1] >>> 16) | (bits[a + 2] << 16);
  words[offset + 6] = (bits[a + 2] >>> 16) | (bits[b] << 16);
  words[offset + 7] = (bits[b] >>> 16) | (bits[b + 1] << 16);
  words[offset + 8] = (bits[b + 1] >>> 16) | (bits[b + 2] << 16);
  words[offset + 9] = (bits[b + 2] >>> 16) | (bits[c] << 16);
  words[offset + 10] = (bits[c] >>> 16) | (bits[c + 1] << 16);
  words[offset + 11] = (bits[c + 1] >>> 16) | (bits[c + 2] << 16);
  words[offset + 12] = bits[c + 2] >>> 16;
}

/**
 * Ensures a byte above 127 among the first 128: sets bit 7 of the largest component of the first normal, which changes
 * it by less than 8e-6.
 */
function markAsBinary(bytes: Uint8Array): void {
  if (bytes.subarray(0, 128).some((byte) => byte > 127)) return;
  const view = new DataView(bytes.buffer);
  const components = [0, 4, 8].map((offset) => Math.abs(view.getFloat32(offset, true)));
  bytes[components.indexOf(Math.max(...components)) * 4] |= 0x80;
}
