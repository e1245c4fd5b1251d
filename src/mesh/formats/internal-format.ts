import { createHash } from 'node:crypto';
import { type ModelNotes, NO_NOTES } from '../analysis/model-notes.js';
import type { AnalysisWithPlaces, ReportWarning, SkippedContent } from '../analysis/report.js';
import type { HelperBodies, IndexedMesh, MeshGeometry, ObjectRange } from '../core/mesh.js';
import { MeshError } from '../core/mesh-error.js';

// Layout, little-endian like all supported machines:
//    0  8 bytes   magic
//    8  uint32    version
//   12  uint32    unit: 0 is mm, the only one defined
//   16  uint32    flags: none defined
//   20  uint32    bytes of the metadata
//   24  float64   vertex count
//   32  float64   triangle count
//   40  24 bytes  zero
//   64  32 bytes  SHA-256 of bytes 0..63 and of all bytes from 96 on
//   96  three float64 per vertex, three uint32 per triangle, metadata as JSON
// Helper bodies are the last vertices and triangles; the metadata says how many.
const MAGIC = new Uint8Array([0x4d, 0x50, 0x4d, 0x45, 0x53, 0x48, 0x0d, 0x0a]); // "MPMESH", CR LF: text-mode transfers alter it
const VERSION = 2;
const FIELDS_BYTES = 64;
const HEADER_BYTES = 96;

/**
 * A stored mesh with the analysis of an earlier operation, if any, so that the expensive exact analysis runs only once,
 * and with the notes of its import.
 */
export interface StoredMesh extends IndexedMesh {
  analyzed?: AnalysisWithPlaces;
  notes: ModelNotes;
  /** Helper bodies that the import kept: no operation changes, counts or judges them. */
  helpers?: HelperBodies;
}

/** The JSON that follows the triangles. Its keys are part of the file format; each is absent if it has nothing to say. */
interface Metadata {
  objects?: ObjectRange[];
  known?: AnalysisWithPlaces;
  /** The notes of the import. Absent too in models that were imported before notes existed. */
  warnings?: readonly ReportWarning[];
  reasons?: readonly string[];
  hasParts?: boolean;
  skipped?: SkippedContent;
  /** The helper bodies, whose ranges begin with their own first triangle. */
  helpers?: { vertices: number; triangles: number } & Pick<HelperBodies, 'objects' | 'slicer'>;
}

/**
 * Serializes a mesh to the internal format, in which models are stored between operations: the memory layout of the
 * arrays, preceded by a header with a checksum. `analyzed`, `notes` and `helpers` are stored with it.
 */
export function* serializeInternal(
  mesh: IndexedMesh,
  analyzed?: AnalysisWithPlaces,
  { warnings, reasons, hasParts, skipped }: ModelNotes = NO_NOTES,
  helpers?: HelperBodies,
): Iterable<Uint8Array> {
  const metadata: Metadata = {
    ...(mesh.objects?.length && { objects: mesh.objects }),
    ...(analyzed && { known: analyzed }),
    ...(warnings.length > 0 && { warnings }),
    ...(reasons.length > 0 && { reasons }),
    ...(hasParts && { hasParts }),
    ...(skipped && { skipped }),
    ...(helpers && { helpers: describeHelpers(helpers) }),
  };
  const metadataBytes = new TextEncoder().encode(JSON.stringify(metadata));
  const firstVertex = mesh.positions.length / 3;
  const positions = [mesh.positions, ...(helpers ? [helpers.positions] : [])];
  const triangles = [mesh.triangles, ...(helpers ? [helpers.triangles.map((vertex) => vertex + firstVertex)] : [])];
  const body = [...positions.map(toBytes), ...triangles.map(toBytes), metadataBytes];
  const head = new Uint8Array(HEADER_BYTES);
  const view = new DataView(head.buffer);
  head.set(MAGIC);
  view.setUint32(8, VERSION, true);
  view.setUint32(20, metadataBytes.length, true);
  view.setFloat64(24, sumLengths(positions) / 3, true);
  view.setFloat64(32, sumLengths(triangles) / 3, true);
  head.set(computeChecksum(head.subarray(0, FIELDS_BYTES), body), FIELDS_BYTES);
  yield head;
  yield* body;
}

/**
 * Parses the output of `serializeInternal`. The result shares the memory of `bytes` if their alignment allows.
 * Throws `FILE_MALFORMED` for other content and `CHECKSUM_WRONG` for altered bytes.
 */
export function parseInternal(bytes: Uint8Array): StoredMesh {
  if (bytes.length < HEADER_BYTES || MAGIC.some((byte, i) => bytes[i] !== byte)) {
    throw new MeshError('FILE_MALFORMED', 'Invalid stored model: it does not begin with its signature.');
  }
  const view = new DataView(bytes.buffer, bytes.byteOffset, HEADER_BYTES);
  const version = view.getUint32(8, true);
  if (version !== VERSION) {
    throw new MeshError(
      'FILE_MALFORMED',
      `Could not read the stored model: it has version ${version}, expected version ${VERSION}. Import the file again.`,
    );
  }
  const vertexCount = view.getFloat64(24, true);
  const triangleCount = view.getFloat64(32, true);
  const trianglesOffset = HEADER_BYTES + vertexCount * 24;
  const metadataOffset = trianglesOffset + triangleCount * 12;
  if (metadataOffset + view.getUint32(20, true) !== bytes.length) {
    throw new MeshError(
      'CHECKSUM_WRONG',
      'The stored model is corrupt: its length does not match its header. Import the file again.',
    );
  }
  const storedChecksum = bytes.subarray(FIELDS_BYTES, HEADER_BYTES);
  const actual = computeChecksum(bytes.subarray(0, FIELDS_BYTES), [bytes.subarray(HEADER_BYTES)]);
  if (actual.some((byte, i) => byte !== storedChecksum[i])) {
    throw new MeshError(
      'CHECKSUM_WRONG',
      'The stored model is corrupt: its checksum does not match. Import the file again.',
    );
  }
  // A Float64Array must begin at a multiple of eight bytes. Part of a larger buffer may not.
  const aligned = bytes.byteOffset % 8 === 0 ? bytes : new Uint8Array(bytes); // copies; Buffer.slice() would not
  const metadata = readMetadata(bytes.subarray(metadataOffset));
  const { objects, known: analyzed, warnings = [], reasons = [], hasParts, skipped, helpers } = metadata;
  const positions = new Float64Array(aligned.buffer, aligned.byteOffset + HEADER_BYTES, vertexCount * 3);
  const triangles = new Uint32Array(aligned.buffer, aligned.byteOffset + trianglesOffset, triangleCount * 3);
  return {
    ...(helpers ? splitHelpers(positions, triangles, helpers) : { positions, triangles }),
    ...(objects && { objects }),
    ...(analyzed && { analyzed }),
    notes: { warnings, reasons, ...(hasParts && { hasParts }), ...(skipped && { skipped }) },
  };
}

function describeHelpers({ positions, triangles, objects, slicer }: HelperBodies): NonNullable<Metadata['helpers']> {
  return { vertices: positions.length / 3, triangles: triangles.length / 3, objects, slicer };
}

/** Separates the helper bodies, which are stored last, from the mesh. */
function splitHelpers(
  positions: Float64Array,
  triangles: Uint32Array,
  { vertices, triangles: helperCount, objects, slicer }: NonNullable<Metadata['helpers']>,
): MeshGeometry & { helpers: HelperBodies } {
  const firstVertex = positions.length / 3 - vertices;
  const firstCorner = triangles.length - helperCount * 3;
  const helpers: HelperBodies = {
    positions: positions.subarray(firstVertex * 3),
    triangles: triangles.subarray(firstCorner).map((vertex) => vertex - firstVertex),
    objects,
    slicer,
  };
  return {
    positions: positions.subarray(0, firstVertex * 3),
    triangles: triangles.subarray(0, firstCorner),
    helpers,
  };
}

function sumLengths(arrays: readonly (Float64Array | Uint32Array)[]): number {
  return arrays.reduce((sum, { length }) => sum + length, 0);
}

/** Parses the metadata without validation: the checksum proves that this package wrote it. */
function readMetadata(bytes: Uint8Array): Metadata {
  return JSON.parse(new TextDecoder().decode(bytes)) as Metadata;
}

function toBytes(array: Float64Array | Uint32Array): Uint8Array {
  return new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
}

function computeChecksum(fields: Uint8Array, body: readonly Uint8Array[]): Uint8Array {
  const hash = createHash('sha256').update(fields);
  for (const part of body) hash.update(part);
  return hash.digest();
}
