import type { Loss } from '../reading/losses.js';
import type { ScenePart } from '../reading/scene.js';
import type { GltfAccessors } from './gltf-accessors.js';
import { type GltfBuffers, type GltfDecoders, unsupportedCompressionError } from './gltf-buffers.js';
import {
  type GltfObject,
  malformedGltf,
  readNatural,
  readNumberList,
  readObject,
  readObjects,
  readString,
} from './gltf-document.js';

const DRACO = 'KHR_draco_mesh_compression';
const TRIANGLES = 4;
const STRIP = 5;
const FAN = 6;
/** The attributes that say which joints move a point. */
const INFLUENCE = /^(?:JOINTS|WEIGHTS)_\d+$/;

/** The triangles of a primitive, not deformed. */
export interface GltfPrimitive extends ScenePart {
  /** point → its element in the accessors of attributes. Default: the same number. */
  elementOf: Uint32Array | undefined;
  /** The number of elements of each attribute. */
  elementCount: number;
  /** Its morph targets: attribute → accessor. */
  targets: readonly GltfObject[];
  /** Returns the values of an attribute with four components, or `undefined` if the primitive does not have it. */
  readAttribute: (name: string) => Float64Array | undefined;
}

/** A mesh, not deformed. */
export interface GltfMesh {
  name: string;
  /** morph target → its weight, unless the node has others */
  weights: readonly number[];
  primitives: readonly GltfPrimitive[];
}

/** Reads the meshes of a glTF, each only once. `losses` are the contents that were not read. */
export class GltfMeshReader {
  readonly losses = new Set<Loss>();
  readonly #meshes: GltfObject[];
  readonly #accessors: GltfAccessors;
  readonly #buffers: GltfBuffers;
  readonly #decoders: GltfDecoders;
  /** accessor of an attribute → its values, which several primitives may share */
  readonly #values = new Map<number, Float64Array>();
  readonly #parsed = new Map<number, GltfMesh>();

  constructor(json: GltfObject, accessors: GltfAccessors, buffers: GltfBuffers, decoders: GltfDecoders) {
    this.#meshes = readObjects(json, 'meshes');
    this.#accessors = accessors;
    this.#buffers = buffers;
    this.#decoders = decoders;
  }

  /** Returns a mesh. */
  read(index: number): GltfMesh {
    const existing = this.#parsed.get(index);
    if (existing) return existing;
    const mesh = this.#meshes[index];
    if (!mesh) throw malformedGltf(`there is no mesh ${index}`);
    const primitives = readObjects(mesh, 'primitives').flatMap((primitive) => this.#readPrimitive(primitive));
    const weights = readNumberList(mesh, 'weights') ?? [];
    const parsed = { name: readString(mesh, 'name'), weights, primitives };
    this.#parsed.set(index, parsed);
    return parsed;
  }

  #readPrimitive(primitive: GltfObject): GltfPrimitive[] {
    const attributes = readObject(primitive, 'attributes') ?? {};
    const targets = readObjects(primitive, 'targets');
    if (attributes.COLOR_0 !== undefined) this.losses.add('COLOURS_DROPPED');
    if (targets.length > 0) this.losses.add('ANIMATION_DROPPED');
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
    if (decoded) return [{ ...decoded, targets }];
    if (compression && !this.#accessors.hasBytes(position)) throw unsupportedCompressionError(compression);
    const points = this.#readValues(position, 'VEC3');
    const indices = readNatural(primitive, 'indices', undefined);
    const corners =
      indices === undefined
        ? Float64Array.from({ length: points.length / 3 }, (_, i) => i)
        : this.#accessors.read(indices, 'SCALAR');
    const part = { points, corners: toTriangleList(corners, mode) };
    const used = part.corners.length * 3 < points.length ? dropUnusedPoints(part) : { ...part, elementOf: undefined };
    const elementCount = points.length / 3;
    const readAttribute = (name: string): Float64Array | undefined => {
      const index = readNatural(attributes, name, undefined);
      return index === undefined ? undefined : this.#readValues(index, 'VEC4', elementCount);
    };
    return [{ ...used, elementCount, targets, readAttribute }];
  }

  #readValues(index: number, type: 'VEC3' | 'VEC4', count?: number): Float64Array {
    const values = this.#values.get(index) ?? this.#accessors.read(index, type, count);
    this.#values.set(index, values);
    return values;
  }

  /** Decodes a Draco extension to triangles, whatever the mode of the primitive. */
  #decodeDraco(extension: GltfObject | undefined, position: number): Omit<GltfPrimitive, 'targets'> | undefined {
    const decode = this.#decoders.draco;
    if (!extension || !decode) return undefined;
    const { bytes } = this.#buffers.view(readNatural(extension, 'bufferView', 0));
    const attributes = readObject(extension, 'attributes') ?? {};
    const names = Object.keys(attributes).filter((name) => INFLUENCE.test(name));
    const { corners, values } = decode(bytes, [
      { name: 'position', id: readNatural(attributes, 'POSITION', 0), width: 3 },
      ...names.map((name) => ({ name, id: readNatural(attributes, name, 0), width: 4 })),
    ]);
    const points = this.#accessors.normalize(position, values[0]);
    const influences = new Map(names.map((name, i) => [name, values[i + 1]]));
    return {
      points,
      corners,
      elementOf: undefined,
      elementCount: points.length / 3,
      readAttribute: (name) => influences.get(name),
    };
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
function dropUnusedPoints({ points, corners }: ScenePart): ScenePart & { elementOf: Uint32Array } {
  const pointCount = points.length / 3;
  // old point → new point + 1; 0 if it has none yet
  const newPointOf = new Uint32Array(pointCount);
  const elementOf = new Uint32Array(Math.min(pointCount, corners.length));
  let count = 0;
  const renumbered = Float64Array.from(corners, (point) => {
    if (!(point >= 0 && point < pointCount)) return Number.NaN;
    if (newPointOf[point] === 0) {
      elementOf[count] = point;
      newPointOf[point] = ++count;
    }
    return newPointOf[point] - 1;
  });
  const usedPoints = new Float64Array(count * 3);
  for (let i = 0; i < usedPoints.length; i++) usedPoints[i] = points[elementOf[Math.floor(i / 3)] * 3 + (i % 3)];
  return { points: usedPoints, corners: renumbered, elementOf: elementOf.slice(0, count) };
}
