import type { IndexedMesh } from '../../core/mesh.js';

const VERTEX_BYTES = 24;
const FACE_BYTES = 13;
const RECORDS_PER_CHUNK = 20_000;

/**
 * Serializes a mesh as binary little-endian PLY in millimeters. Coordinates are `double`, so that a solid remains a
 * solid. Object names are dropped: PLY cannot represent them.
 */
export function* serializePly({ positions, triangles }: IndexedMesh): Iterable<Uint8Array> {
  const vertexCount = positions.length / 3;
  const triangleCount = triangles.length / 3;
  yield new TextEncoder().encode(createHeader(vertexCount, triangleCount));
  for (let first = 0; first < vertexCount; first += RECORDS_PER_CHUNK) {
    yield serializeVertices(positions, first, Math.min(vertexCount, first + RECORDS_PER_CHUNK));
  }
  for (let first = 0; first < triangleCount; first += RECORDS_PER_CHUNK) {
    yield serializeFaces(triangles, first, Math.min(triangleCount, first + RECORDS_PER_CHUNK));
  }
}

function createHeader(vertexCount: number, triangleCount: number): string {
  const lines = [
    'ply',
    'format binary_little_endian 1.0',
    'comment millimetres',
    `element vertex ${vertexCount}`,
    ...['x', 'y', 'z'].map((axis) => `property double ${axis}`),
    `element face ${triangleCount}`,
    'property list uchar int vertex_indices',
    'end_header',
  ];
  return `${lines.join('\n')}\n`;
}

function serializeVertices(positions: Float64Array, first: number, end: number): Uint8Array {
  const bytes = new Uint8Array((end - first) * VERTEX_BYTES);
  const view = new DataView(bytes.buffer);
  // Adding 0 turns -0 into 0, so that equal meshes produce equal bytes.
  for (let i = first * 3, offset = 0; i < end * 3; i++, offset += 8) view.setFloat64(offset, positions[i] + 0, true);
  return bytes;
}

function serializeFaces(triangles: Uint32Array, first: number, end: number): Uint8Array {
  const bytes = new Uint8Array((end - first) * FACE_BYTES);
  const view = new DataView(bytes.buffer);
  for (let triangle = first, offset = 0; triangle < end; triangle++, offset += FACE_BYTES) {
    bytes[offset] = 3;
    view.setUint32(offset + 1, triangles[triangle * 3], true);
    view.setUint32(offset + 5, triangles[triangle * 3 + 1], true);
    view.setUint32(offset + 9, triangles[triangle * 3 + 2], true);
  }
  return bytes;
}
