import type { IndexedMesh } from '../../core/mesh.js';
import { MeshError } from '../../core/mesh-error.js';
import { splitIntoParts } from '../split-into-parts.js';
import { toFloat32Positions } from '../to-float32-positions.js';

const MAGIC = 0x46546c67;
const JSON_CHUNK = 0x4e4f534a;
const BINARY_CHUNK = 0x004e4942;
const MAX_GLB_BYTES = 2 ** 32 - 1;
const BYTES_PER_CHUNK = 1 << 20;
/** Millimetres with Z up to metres with Y up, as columns: what a viewer applies, so that the coordinates stay in millimetres. */
const TO_METRES = [0.001, 0, 0, 0, 0, 0, -0.001, 0, 0, 0.001, 0, 0, 0, 0, 0, 1];

/** Red, green and blue in proportion to light, 0 to 1. */
export type Color = readonly [red: number, green: number, blue: number];

/** Object names and their colours. */
export type Colors = Readonly<Record<string, Color>>;

/**
 * Writes a GLB (glTF 2): coordinates rounded to float32, in millimetres under a node that turns and scales them, each object of the mesh
 * as a node with its name, and in its colour where it has one. Throws `TOO_LARGE` for a coordinate beyond float32, or a file beyond 4 GiB.
 */
export function* serializeGlb(mesh: IndexedMesh, colors: Colors = {}): Iterable<Uint8Array> {
  const positions = toFloat32Positions(mesh.positions, 'GLB');
  const json = paddedJson(buildJson(mesh, positions, colors));
  const binaryBytes = positions.byteLength + mesh.triangles.byteLength;
  const bytes = 12 + 8 + json.length + 8 + binaryBytes;
  if (bytes > MAX_GLB_BYTES)
    throw new MeshError('TOO_LARGE', `The model does not fit into a GLB: it would have ${bytes} bytes`);
  yield uint32Bytes(MAGIC, 2, bytes, json.length, JSON_CHUNK);
  yield json;
  yield uint32Bytes(binaryBytes, BINARY_CHUNK);
  yield* chunksOf(positions);
  yield* chunksOf(mesh.triangles);
}

/** The JSON: buffer view 0 holds the positions, buffer view 1 the corners; every object takes its own run of the latter. */
function buildJson(mesh: IndexedMesh, positions: Float32Array, colors: Colors): object {
  const parts = splitIntoParts(mesh);
  const positionBytes = positions.byteLength;
  const triangleBytes = mesh.triangles.byteLength;
  const named: { name?: string }[] = parts.map(({ name }) => (name === '' ? {} : { name }));
  const colored = Object.entries(colors);
  const materialOf = (name: string | undefined): { material?: number } => {
    const material = colored.findIndex(([one]) => one === name);
    return material < 0 ? {} : { material };
  };
  return {
    asset: { version: '2.0', generator: 'Model Processing' },
    scene: 0,
    scenes: [{ nodes: [0] }],
    nodes: [
      { matrix: TO_METRES, children: parts.map((_, i) => i + 1) },
      ...named.map((name, i) => ({ ...name, mesh: i })),
    ],
    meshes: named.map((name, i) => ({
      ...name,
      primitives: [{ attributes: { POSITION: 0 }, indices: i + 1, ...materialOf(name.name) }],
    })),
    ...(colored.length > 0 && { materials: colored.map(([name, color]) => describeMaterial(name, color)) }),
    accessors: [
      { bufferView: 0, componentType: 5126, count: positions.length / 3, type: 'VEC3', ...boundsOf(positions) },
      ...parts.map(({ firstTriangle, triangleCount }) => {
        const place = { bufferView: 1, byteOffset: firstTriangle * 12 };
        return { ...place, componentType: 5125, count: triangleCount * 3, type: 'SCALAR' };
      }),
    ],
    bufferViews: [
      { buffer: 0, byteLength: positionBytes, target: 34962 },
      { buffer: 0, byteOffset: positionBytes, byteLength: triangleBytes, target: 34963 },
    ],
    buffers: [{ byteLength: positionBytes + triangleBytes }],
  };
}

const describeMaterial = (name: string, color: Color): object => ({
  name,
  pbrMetallicRoughness: { baseColorFactor: [...color, 1], metallicFactor: 0, roughnessFactor: 0.8 },
});

function boundsOf(positions: Float32Array): { min: number[]; max: number[] } {
  const min = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  const max = min.map((value) => -value);
  for (let k = 0; k < 3; k++) {
    let [low, high] = [min[k], max[k]];
    for (let i = k; i < positions.length; i += 3) {
      const value = positions[i];
      if (value < low) low = value;
      if (value > high) high = value;
    }
    min[k] = low;
    max[k] = high;
  }
  return { min, max };
}

/** JSON as bytes, with spaces up to a multiple of four. */
function paddedJson(value: object): Uint8Array {
  const bytes = new TextEncoder().encode(JSON.stringify(value));
  const padded = new Uint8Array(Math.ceil(bytes.length / 4) * 4).fill(0x20);
  padded.set(bytes);
  return padded;
}

function uint32Bytes(...values: readonly number[]): Uint8Array {
  const view = new DataView(new ArrayBuffer(values.length * 4));
  for (const [i, value] of values.entries()) view.setUint32(i * 4, value, true);
  return new Uint8Array(view.buffer);
}

/** The bytes of an array, little-endian as on every machine that this package supports, some at a time. */
function* chunksOf(array: Float32Array | Uint32Array): Iterable<Uint8Array> {
  for (let offset = 0; offset < array.byteLength; offset += BYTES_PER_CHUNK) {
    yield new Uint8Array(array.buffer, array.byteOffset + offset, Math.min(BYTES_PER_CHUNK, array.byteLength - offset));
  }
}
