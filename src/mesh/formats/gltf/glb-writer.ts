import type { FittedMesh } from '../format.js';
import { splitIntoParts } from '../writing/split-into-parts.js';
import { toFloat32Positions } from '../writing/to-float32-positions.js';
import { serializeGlbContainer, TO_METERS } from './glb-container.js';

const BYTES_PER_CHUNK = 1 << 20;

/** Linear red, green and blue, 0..1. */
export type Color = readonly [red: number, green: number, blue: number];

/** object name → color */
export type Colors = Readonly<Record<string, Color>>;

/**
 * Serializes a mesh as GLB (glTF 2.0): coordinates rounded to float32, in millimeters below a node that converts them,
 * and one node per object of the mesh with its name and its color from `colors`. Coordinates are relative to the origin
 * of the mesh, which is the translation of these nodes. Throws `TOO_LARGE` for a coordinate
 * beyond float32 or a file beyond 4 GiB.
 */
export function* serializeGlb(mesh: FittedMesh, colors: Colors = {}): Iterable<Uint8Array> {
  const positions = toFloat32Positions(mesh.positions, 'GLB', mesh.origin);
  const binaryBytes = positions.byteLength + mesh.triangles.byteLength;
  const json = buildJson(mesh, positions, colors);
  yield* serializeGlbContainer(json, binaryBytes, serializeArrays(positions, mesh.triangles));
}

function* serializeArrays(positions: Float32Array, triangles: Uint32Array): Iterable<Uint8Array> {
  yield* chunksOf(positions);
  yield* chunksOf(triangles);
}

/**
 * Returns the JSON. Buffer view 0 contains the positions, buffer view 1 the indices; each object uses a range of the
 * latter.
 */
function buildJson(mesh: FittedMesh, positions: Float32Array, colors: Colors): object {
  const parts = splitIntoParts(mesh);
  const positionBytes = positions.byteLength;
  const triangleBytes = mesh.triangles.byteLength;
  const named: { name?: string }[] = parts.map(({ name }) => (name === '' ? {} : { name }));
  const colored = Object.entries(colors);
  const materialOf = (name: string | undefined): { material?: number } => {
    const material = colored.findIndex(([colorName]) => colorName === name);
    return material < 0 ? {} : { material };
  };
  return {
    asset: { version: '2.0', generator: 'Model Processing' },
    scene: 0,
    scenes: [{ nodes: [0] }],
    nodes: [
      { matrix: TO_METERS, children: parts.map((_, i) => i + 1) },
      ...named.map((name, i) => ({ ...name, mesh: i, ...(mesh.origin && { translation: mesh.origin }) })),
    ],
    meshes: named.map((name, i) => ({
      ...name,
      primitives: [{ attributes: { POSITION: 0 }, indices: i + 1, ...materialOf(name.name) }],
    })),
    ...(colored.length > 0 && { materials: colored.map(([name, color]) => describeMaterial(name, color)) }),
    accessors: [
      { bufferView: 0, componentType: 5126, count: positions.length / 3, type: 'VEC3', ...computeBounds(positions) },
      ...parts.map(({ firstTriangle, triangleCount }) => {
        const location = { bufferView: 1, byteOffset: firstTriangle * 12 };
        return { ...location, componentType: 5125, count: triangleCount * 3, type: 'SCALAR' };
      }),
    ],
    bufferViews: [
      { buffer: 0, byteLength: positionBytes, target: 34962 },
      { buffer: 0, byteOffset: positionBytes, byteLength: triangleBytes, target: 34963 },
    ],
    buffers: [{ byteLength: positionBytes + triangleBytes }],
  };
}

function describeMaterial(name: string, color: Color): object {
  return {
    name,
    pbrMetallicRoughness: { baseColorFactor: [...color, 1], metallicFactor: 0, roughnessFactor: 0.8 },
  };
}

function computeBounds(positions: Float32Array): { min: number[]; max: number[] } {
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

/** Yields the bytes of an array in chunks, little-endian like all supported machines. */
function* chunksOf(array: Float32Array | Uint32Array): Iterable<Uint8Array> {
  for (let offset = 0; offset < array.byteLength; offset += BYTES_PER_CHUNK) {
    yield new Uint8Array(array.buffer, array.byteOffset + offset, Math.min(BYTES_PER_CHUNK, array.byteLength - offset));
  }
}
