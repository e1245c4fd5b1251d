import { createHash } from 'node:crypto';
import type { AnalysisWithPlaces } from '../analysis/report.js';
import type { IndexedMesh, ObjectRange } from '../core/mesh.js';
import { MeshError } from '../core/mesh-error.js';

// Layout, little-endian (as is every machine that Node 20 ships for and this package supports):
//    0  8 bytes   magic
//    8  uint32    version
//   12  uint32    unit: 0 is mm, the only one so far
//   16  uint32    flags: none so far
//   20  uint32    bytes of the notes
//   24  float64   vertex count
//   32  float64   triangle count
//   40  24 bytes  zero
//   64  32 bytes  SHA-256 over bytes 0..63 and all that follows byte 95
//   96  float64 x 3 a vertex, uint32 x 3 a triangle, notes as JSON: object ranges, analysis
const MAGIC = new Uint8Array([0x4d, 0x50, 0x4d, 0x45, 0x53, 0x48, 0x0d, 0x0a]); // MPMESH and a line end, which text transfer breaks
const VERSION = 2;
const FIELDS_BYTES = 64;
const HEADER_BYTES = 96;

/** A mesh as it is kept, with what an earlier operation found out about it: the exact check is dear, and is made once. */
export interface StoredMesh extends IndexedMesh {
  analyzed?: AnalysisWithPlaces;
}

/** What stands behind the triangles. */
interface Metadata {
  objects?: ObjectRange[];
  known?: AnalysisWithPlaces;
}

/**
 * Writes a mesh in the form in which it is kept on the disk between operations: as in memory, with a checksum in front.
 * `analyzed`: its analysis, where it is known.
 */
export function* serializeInternal(mesh: IndexedMesh, analyzed?: AnalysisWithPlaces): Iterable<Uint8Array> {
  const metadata: Metadata = {
    ...(mesh.objects?.length && { objects: mesh.objects }),
    ...(analyzed && { known: analyzed }),
  };
  const metadataBytes = new TextEncoder().encode(JSON.stringify(metadata));
  const body = [bytesOf(mesh.positions), bytesOf(mesh.triangles), metadataBytes];
  const head = new Uint8Array(HEADER_BYTES);
  const view = new DataView(head.buffer);
  head.set(MAGIC);
  view.setUint32(8, VERSION, true);
  view.setUint32(20, metadataBytes.length, true);
  view.setFloat64(24, mesh.positions.length / 3, true);
  view.setFloat64(32, mesh.triangles.length / 3, true);
  head.set(checksumOf(head.subarray(0, FIELDS_BYTES), body), FIELDS_BYTES);
  yield head;
  yield* body;
}

/**
 * Reads what `serializeInternal` wrote, sharing the memory of `bytes` where their place in it allows.
 * Throws `FILE_MALFORMED` for anything else, `CHECKSUM_WRONG` where a byte differs from what was written.
 */
export function parseInternal(bytes: Uint8Array): StoredMesh {
  if (bytes.length < HEADER_BYTES || MAGIC.some((byte, i) => bytes[i] !== byte)) {
    throw new MeshError('FILE_MALFORMED', 'Not a stored model: its first bytes are others');
  }
  const view = new DataView(bytes.buffer, bytes.byteOffset, HEADER_BYTES);
  const version = view.getUint32(8, true);
  if (version !== VERSION) {
    throw new MeshError(
      'FILE_MALFORMED',
      `A stored model of version ${version}; this program reads version ${VERSION}`,
    );
  }
  const vertexCount = view.getFloat64(24, true);
  const triangleCount = view.getFloat64(32, true);
  const trianglesOffset = HEADER_BYTES + vertexCount * 24;
  const metadataOffset = trianglesOffset + triangleCount * 12;
  if (metadataOffset + view.getUint32(20, true) !== bytes.length) {
    throw new MeshError('CHECKSUM_WRONG', 'The stored model was cut or altered: its length is not what it says');
  }
  const written = bytes.subarray(FIELDS_BYTES, HEADER_BYTES);
  const actual = checksumOf(bytes.subarray(0, FIELDS_BYTES), [bytes.subarray(HEADER_BYTES)]);
  if (actual.some((byte, i) => byte !== written[i])) {
    throw new MeshError('CHECKSUM_WRONG', 'The stored model was altered: its checksum does not fit');
  }
  // A view of float64 must begin at a multiple of eight: read from the disk at once it does, a part of a larger buffer may not.
  const aligned = bytes.byteOffset % 8 === 0 ? bytes : new Uint8Array(bytes); // a copy: slice() of a Buffer is none
  const { objects, known: analyzed } = readMetadata(bytes.subarray(metadataOffset));
  return {
    positions: new Float64Array(aligned.buffer, aligned.byteOffset + HEADER_BYTES, vertexCount * 3),
    triangles: new Uint32Array(aligned.buffer, aligned.byteOffset + trianglesOffset, triangleCount * 3),
    ...(objects && { objects }),
    ...(analyzed && { analyzed }),
  };
}

/** The checksum has shown that these bytes are our own: their form is known. */
function readMetadata(bytes: Uint8Array): Metadata {
  return JSON.parse(new TextDecoder().decode(bytes)) as Metadata;
}

const bytesOf = (array: Float64Array | Uint32Array): Uint8Array =>
  new Uint8Array(array.buffer, array.byteOffset, array.byteLength);

function checksumOf(fields: Uint8Array, body: readonly Uint8Array[]): Uint8Array {
  const hash = createHash('sha256').update(fields);
  for (const part of body) hash.update(part);
  return hash.digest();
}
