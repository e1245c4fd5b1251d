import type { Loss } from '../reading/losses.js';
import type { ScenePart } from '../reading/scene.js';
import { GltfAccessors } from './gltf-accessors.js';
import { type GltfBuffers, type GltfDecoders, unsupportedCompressionError } from './gltf-buffers.js';
import { type GltfObject, malformedGltf, readNatural, readObject, readObjects, readString } from './gltf-document.js';

const DRACO = 'KHR_draco_mesh_compression';
const TRIANGLES = 4;
const STRIP = 5;
const FAN = 6;

/** Reads the meshes of a glTF, each only once. `losses` are the contents that were not read. */
export class GltfMeshReader {
  readonly losses = new Set<Loss>();
  readonly #meshes: GltfObject[];
  readonly #accessors: GltfAccessors;
  readonly #buffers: GltfBuffers;
  readonly #decoders: GltfDecoders;
  /** accessor → its points, which several parts may share */
  readonly #points = new Map<number, Float64Array>();
  readonly #parsed = new Map<number, { name: string; parts: ScenePart[] }>();

  constructor(json: GltfObject, buffers: GltfBuffers, decoders: GltfDecoders) {
    this.#meshes = readObjects(json, 'meshes');
    this.#accessors = new GltfAccessors(json, buffers);
    this.#buffers = buffers;
    this.#decoders = decoders;
  }

  /** Returns the name and the parts of a mesh. */
  read(index: number): { name: string; parts: ScenePart[] } {
    const existing = this.#parsed.get(index);
    if (existing) return existing;
    const mesh = this.#meshes[index];
    if (!mesh) throw malformedGltf(`there is no mesh ${index}`);
    const parts = readObjects(mesh, 'primitives').flatMap((primitive) => this.#readPart(primitive));
    const parsed = { name: readString(mesh, 'name'), parts };
    this.#parsed.set(index, parsed);
    return parsed;
  }

  #readPart(primitive: GltfObject): ScenePart[] {
    const attributes = readObject(primitive, 'attributes') ?? {};
    if (attributes.COLOR_0 !== undefined) this.losses.add('COLOURS_DROPPED');
    if (primitive.targets !== undefined) this.losses.add('ANIMATION_DROPPED');
    const mode = readNatural(primitive, 'mode', TRIANGLES);
    if (mode < TRIANGLES || mode > FAN) {
      this.losses.add('LINES_DROPPED');
      return [];
    }
    const position = readNatural(attributes, 'POSITION', undefined);
    if (position === undefined) return [];
    const extensions = readObject(primitive, 'extensions') ?? {};
    const compression = Object.keys(extensions).find((name) => name.includes('compression'));
    const decoded = this.#decodeDraco(readObject(extensions, DRACO), position);
    if (decoded) return [decoded];
    if (compression && !this.#accessors.hasBytes(position)) throw unsupportedCompressionError(compression);
    const points = this.#points.get(position) ?? this.#accessors.read(position, 'VEC3');
    this.#points.set(position, points);
    const indices = readNatural(primitive, 'indices', undefined);
    const corners =
      indices === undefined
        ? Float64Array.from({ length: points.length / 3 }, (_, i) => i)
        : this.#accessors.read(indices, 'SCALAR');
    const part = { points, corners: toTriangleList(corners, mode) };
    return [part.corners.length * 3 < points.length ? dropUnusedPoints(part) : part];
  }

  /** Decodes a Draco extension to triangles, whatever the mode of the primitive. */
  #decodeDraco(extension: GltfObject | undefined, position: number): ScenePart | undefined {
    const decode = this.#decoders.draco;
    if (!extension || !decode) return undefined;
    const { bytes } = this.#buffers.view(readNatural(extension, 'bufferView', 0));
    const attributes = readObject(extension, 'attributes') ?? {};
    const { points, corners } = decode(bytes, readNatural(attributes, 'POSITION', 0));
    return { points: this.#accessors.normalize(position, points), corners };
  }
}

/** Returns the corners of separate triangles from a list, a strip (reversing every second one) or a fan. */
function toTriangleList(corners: Float64Array, mode: number): Float64Array {
  if (mode === TRIANGLES) return corners.subarray(0, corners.length - (corners.length % 3));
  const triangles = new Float64Array(Math.max(0, corners.length - 2) * 3);
  for (let i = 0; i + 2 < corners.length; i++) {
    const isReversed = mode === STRIP && i % 2 === 1;
    triangles[i * 3] = corners[mode === FAN ? 0 : isReversed ? i + 1 : i];
    triangles[i * 3 + 1] = corners[isReversed ? i : i + 1];
    triangles[i * 3 + 2] = corners[i + 2];
  }
  return triangles;
}

/**
 * Returns a part with only the points that its corners use, in order of first use. A point list shared by many parts is
 * then not transformed once per part.
 */
function dropUnusedPoints({ points, corners }: ScenePart): ScenePart {
  const pointCount = points.length / 3;
  // old point → new point + 1; 0 if it has none yet
  const newPointOf = new Uint32Array(pointCount);
  const usedPoints = new Float64Array(Math.min(points.length, corners.length * 3));
  let count = 0;
  const renumbered = Float64Array.from(corners, (point) => {
    if (!(point >= 0 && point < pointCount)) return Number.NaN;
    if (newPointOf[point] === 0) {
      for (let k = 0; k < 3; k++) usedPoints[count * 3 + k] = points[point * 3 + k];
      newPointOf[point] = ++count;
    }
    return newPointOf[point] - 1;
  });
  return { points: usedPoints.slice(0, count * 3), corners: renumbered };
}
