import { MeshoptEncoder } from 'meshoptimizer/encoder';
import type { Box3 } from '../../core/mesh.js';
import { maxExtentOf } from '../../geometry/bounds.js';
import { callMeshopt } from '../../preview/call-meshopt.js';
import { UNUSED } from '../../topology/compact.js';
import { reorderMesh } from './reorder-mesh.js';

const UNSIGNED_SHORT = 5123;
const UNSIGNED_INT = 5125;
const ARRAY_BUFFER = 34962;
const ELEMENT_ARRAY_BUFFER = 34963;
const MAX_STEPS = 2 ** 16 - 1;
/** x, y, z and two bytes of padding: glTF requires a multiple of four bytes. */
const WORDS_PER_VERTEX = 4;

/** A grid of 16-bit coordinates over the bounds of a model, with steps of equal length along all axes. */
export interface Grid {
  /** In mm. */
  origin: readonly [number, number, number];
  stepMm: number;
}

/** Creates the grid of a box. Its longest side has 65,535 steps. */
export function createGrid(box: Box3): Grid {
  return { origin: box.min, stepMm: maxExtentOf(box) / MAX_STEPS || 1 };
}

/** The part of a primitive that refers to its data. */
export interface PrimitiveData {
  attributes: { POSITION: number };
  indices: number;
}

/** A compressed buffer view: buffer 0 has its bytes, buffer 1 is where it would be if it were not compressed. */
interface BufferView {
  buffer: 1;
  byteOffset: number;
  byteLength: number;
  byteStride?: number;
  target: number;
  extensions: { EXT_meshopt_compression: object };
}

/**
 * The buffers of a glTF whose positions are coordinates of a grid, compressed with meshopt
 * (`EXT_meshopt_compression`, `KHR_mesh_quantization`).
 */
export class MeshoptBuffers {
  readonly #grid: Grid;
  /** The compressed buffer views, each padded to a multiple of four bytes. */
  readonly chunks: Uint8Array[] = [];
  /** The length of all chunks. */
  bytes = 0;
  #decodedBytes = 0;
  readonly #views: BufferView[] = [];
  readonly #accessors: object[] = [];

  private constructor(grid: Grid) {
    this.#grid = grid;
  }

  static async create(grid: Grid): Promise<MeshoptBuffers> {
    await MeshoptEncoder.ready;
    return new MeshoptBuffers(grid);
  }

  /** Adds lines or triangles, in an order that compresses well. `vertices` are their corners in `positions`. */
  add(positions: Float64Array, vertices: Uint32Array, mode: 'lines' | 'triangles'): PrimitiveData {
    const isTriangles = mode === 'triangles';
    const { indices, newVertexOf, vertexCount } = reorderMesh(vertices, isTriangles);
    const { points, min, max } = this.#quantize(positions, newVertexOf, vertexCount);
    const pointView = this.#addView(points, vertexCount, 'ATTRIBUTES', ARRAY_BUFFER);
    const indexView = this.#addView(
      indices,
      indices.length,
      isTriangles ? 'TRIANGLES' : 'INDICES',
      ELEMENT_ARRAY_BUFFER,
    );
    const attributes = {
      POSITION: this.#addAccessor(pointView, UNSIGNED_SHORT, vertexCount, { type: 'VEC3', min, max }),
    };
    return { attributes, indices: this.#addAccessor(indexView, UNSIGNED_INT, indices.length, { type: 'SCALAR' }) };
  }

  /** Returns the accessors, buffer views and buffers of the glTF. */
  describe(): object {
    const fallback = { EXT_meshopt_compression: { fallback: true } };
    return {
      accessors: this.#accessors,
      bufferViews: this.#views,
      buffers: [{ byteLength: this.bytes }, { byteLength: this.#decodedBytes, extensions: fallback }],
    };
  }

  /** Returns the grid coordinates of the vertices, and their bounds. `newVertexOf`: vertex → index, or `UNUSED` */
  #quantize(positions: Float64Array, newVertexOf: Uint32Array, vertexCount: number) {
    const { origin, stepMm } = this.#grid;
    const points = new Uint16Array(vertexCount * WORDS_PER_VERTEX);
    const min = [MAX_STEPS, MAX_STEPS, MAX_STEPS];
    const max = [0, 0, 0];
    for (let vertex = 0; vertex < newVertexOf.length; vertex++) {
      const newVertex = newVertexOf[vertex];
      if (newVertex === UNUSED) continue;
      for (let k = 0; k < 3; k++) {
        const value = Math.min(MAX_STEPS, Math.round((positions[vertex * 3 + k] - origin[k]) / stepMm));
        points[newVertex * WORDS_PER_VERTEX + k] = value;
        if (value < min[k]) min[k] = value;
        if (value > max[k]) max[k] = value;
      }
    }
    return { points, min, max };
  }

  #addView(data: Uint16Array | Uint32Array, count: number, mode: string, target: number): number {
    const decoded = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
    const byteStride = decoded.length / count;
    const encoded = callMeshopt(() => MeshoptEncoder.encodeGltfBuffer(decoded, count, byteStride, mode));
    const location = { buffer: 0, byteOffset: this.bytes, byteLength: encoded.length };
    this.#views.push({
      ...{ buffer: 1, byteOffset: this.#decodedBytes, byteLength: decoded.length, target },
      ...(target === ARRAY_BUFFER && { byteStride }),
      extensions: { EXT_meshopt_compression: { ...location, byteStride, count, mode } },
    });
    const padded = new Uint8Array(Math.ceil(encoded.length / 4) * 4);
    padded.set(encoded);
    this.chunks.push(padded);
    this.bytes += padded.length;
    this.#decodedBytes += decoded.length;
    return this.#views.length - 1;
  }

  #addAccessor(bufferView: number, componentType: number, count: number, more: object): number {
    this.#accessors.push({ bufferView, componentType, count, ...more });
    return this.#accessors.length - 1;
  }
}
