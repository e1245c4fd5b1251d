import type { GltfBuffers } from './gltf-buffers.js';
import { type GltfObject, gltfMalformed, naturalIn, objectIn, objectsIn } from './gltf-document.js';

type ReadComponent = (view: DataView, at: number) => number;

interface ComponentType {
  bytes: number;
  read: ReadComponent;
  /** What stands for 1 where the accessor is normalised. */
  one: number;
}

const COMPONENT_TYPES: Record<number, ComponentType> = {
  5120: { bytes: 1, read: (view, at) => view.getInt8(at), one: 127 },
  5121: { bytes: 1, read: (view, at) => view.getUint8(at), one: 255 },
  5122: { bytes: 2, read: (view, at) => view.getInt16(at, true), one: 32767 },
  5123: { bytes: 2, read: (view, at) => view.getUint16(at, true), one: 65535 },
  5125: { bytes: 4, read: (view, at) => view.getUint32(at, true), one: 1 },
  5126: { bytes: 4, read: (view, at) => view.getFloat32(at, true), one: 1 },
};
/** An accessor without bytes is all zeros: no reason to hold many. */
const MOST_ZEROS = 2 ** 24;

/** Hands out the numbers of accessors: interleaved, normalised and sparse ones. Throws `FILE_MALFORMED` for what its buffer has not. */
export class GltfAccessors {
  readonly #accessors: GltfObject[];
  readonly #buffers: GltfBuffers;

  constructor(json: GltfObject, buffers: GltfBuffers) {
    this.#accessors = objectsIn(json, 'accessors');
    this.#buffers = buffers;
  }

  /** Whether an accessor has bytes of its own: one without them is filled in by an extension, or all zeros. */
  hasBytes(index: number): boolean {
    const accessor = this.#accessors.at(index);
    return accessor?.bufferView !== undefined || accessor?.sparse !== undefined;
  }

  /** The numbers of an accessor of this type, `SCALAR` or `VEC3`. */
  read(index: number, type: 'SCALAR' | 'VEC3'): Float64Array {
    const accessor = this.#accessors[index];
    if (!accessor || accessor.type !== type) throw gltfMalformed(`there is no accessor ${index} of type ${type}`);
    const width = type === 'VEC3' ? 3 : 1;
    const count = naturalIn(accessor, 'count', 0);
    const component = componentOf(accessor);
    const view = naturalIn(accessor, 'bufferView', undefined);
    if (view === undefined && count > MOST_ZEROS)
      throw gltfMalformed(`accessor ${index} counts ${count}, and has no bytes`);
    const offset = naturalIn(accessor, 'byteOffset', 0);
    const values =
      view === undefined ? new Float64Array(count * width) : this.#numbers(view, offset, count, width, component);
    this.#applySparse(accessor, values, width, component);
    return normalised(accessor, values, component);
  }

  /** Numbers that came out of a packing in the place of an accessor's own: what is normalised, they are too. */
  normalise(index: number, values: Float64Array): Float64Array {
    const accessor = this.#accessors[index];
    return accessor ? normalised(accessor, values, componentOf(accessor)) : values;
  }

  #applySparse(accessor: GltfObject, values: Float64Array, width: number, component: ComponentType): void {
    const sparse = objectIn(accessor, 'sparse');
    if (!sparse) return;
    const count = naturalIn(sparse, 'count', 0);
    const [indices, changed] = [objectIn(sparse, 'indices') ?? {}, objectIn(sparse, 'values') ?? {}];
    const places = this.#numbersAt(indices, count, 1, componentOf(indices));
    const numbers = this.#numbersAt(changed, count, width, component);
    for (let i = 0; i < count; i++) {
      const at = places[i] * width;
      if (!(at < values.length)) throw gltfMalformed('a sparse accessor changes what it has not');
      for (let k = 0; k < width; k++) values[at + k] = numbers[i * width + k];
    }
  }

  #numbersAt(place: GltfObject, count: number, width: number, component: ComponentType): Float64Array {
    const view = naturalIn(place, 'bufferView', 0);
    return this.#numbers(view, naturalIn(place, 'byteOffset', 0), count, width, component);
  }

  /** Numbers of a buffer view, from an offset in it. */
  #numbers(index: number, offset: number, count: number, width: number, { bytes, read }: ComponentType): Float64Array {
    const view = this.#buffers.view(index);
    const stride = view.stride ?? bytes * width;
    const needed = count === 0 ? offset : offset + (count - 1) * stride + bytes * width;
    if (needed > view.bytes.length) throw gltfMalformed(`bufferView ${index} has not the bytes that are read from it`);
    const data = new DataView(view.bytes.buffer, view.bytes.byteOffset, view.bytes.byteLength);
    const values = new Float64Array(count * width);
    for (let i = 0, at = offset; i < count; i++, at += stride) {
      for (let k = 0; k < width; k++) values[i * width + k] = read(data, at + k * bytes);
    }
    return values;
  }
}

function normalised(accessor: GltfObject, values: Float64Array, { one }: ComponentType): Float64Array {
  if (accessor.normalized !== true || one === 1) return values;
  for (let i = 0; i < values.length; i++) values[i] = Math.max(values[i] / one, -1);
  return values;
}

function componentOf(holder: GltfObject): ComponentType {
  const type = naturalIn(holder, 'componentType', 0);
  if (!Object.hasOwn(COMPONENT_TYPES, type)) throw gltfMalformed(`the component type ${type} is none`);
  return COMPONENT_TYPES[type];
}
