import type { GltfBuffers } from './gltf-buffers.js';
import { type GltfObject, malformedGltf, readNatural, readObject, readObjects } from './gltf-document.js';

type ReadComponent = (view: DataView, offset: number) => number;

interface ComponentType {
  bytes: number;
  read: ReadComponent;
  /** What stands for 1 where the accessor is normalised. */
  one: number;
}

const COMPONENT_TYPES: Record<number, ComponentType> = {
  5120: { bytes: 1, read: (view, offset) => view.getInt8(offset), one: 127 },
  5121: { bytes: 1, read: (view, offset) => view.getUint8(offset), one: 255 },
  5122: { bytes: 2, read: (view, offset) => view.getInt16(offset, true), one: 32767 },
  5123: { bytes: 2, read: (view, offset) => view.getUint16(offset, true), one: 65535 },
  5125: { bytes: 4, read: (view, offset) => view.getUint32(offset, true), one: 1 },
  5126: { bytes: 4, read: (view, offset) => view.getFloat32(offset, true), one: 1 },
};
/** An accessor without bytes is all zeros: no reason to hold many. */
const MAX_ZERO_FILLED = 2 ** 24;

/** Hands out the numbers of accessors: interleaved, normalised and sparse ones. Throws `FILE_MALFORMED` for what its buffer has not. */
export class GltfAccessors {
  readonly #accessors: GltfObject[];
  readonly #buffers: GltfBuffers;

  constructor(json: GltfObject, buffers: GltfBuffers) {
    this.#accessors = readObjects(json, 'accessors');
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
    if (!accessor || accessor.type !== type) throw malformedGltf(`there is no accessor ${index} of type ${type}`);
    const width = type === 'VEC3' ? 3 : 1;
    const count = readNatural(accessor, 'count', 0);
    const component = componentOf(accessor);
    const view = readNatural(accessor, 'bufferView', undefined);
    if (view === undefined && count > MAX_ZERO_FILLED)
      throw malformedGltf(`accessor ${index} counts ${count}, and has no bytes`);
    const offset = readNatural(accessor, 'byteOffset', 0);
    const values =
      view === undefined ? new Float64Array(count * width) : this.#numbers(view, offset, count, width, component);
    this.#applySparse(accessor, values, width, component);
    return normalized(accessor, values, component);
  }

  /** Numbers that came out of a packing in the place of an accessor's own: what is normalised, they are too. */
  normalize(index: number, values: Float64Array): Float64Array {
    const accessor = this.#accessors[index];
    return accessor ? normalized(accessor, values, componentOf(accessor)) : values;
  }

  #applySparse(accessor: GltfObject, values: Float64Array, width: number, component: ComponentType): void {
    const sparse = readObject(accessor, 'sparse');
    if (!sparse) return;
    const count = readNatural(sparse, 'count', 0);
    const [indices, changed] = [readObject(sparse, 'indices') ?? {}, readObject(sparse, 'values') ?? {}];
    const coordinates = this.#numbersAt(indices, count, 1, componentOf(indices));
    const numbers = this.#numbersAt(changed, count, width, component);
    for (let i = 0; i < count; i++) {
      const offset = coordinates[i] * width;
      if (!(offset < values.length)) throw malformedGltf('a sparse accessor changes what it has not');
      for (let k = 0; k < width; k++) values[offset + k] = numbers[i * width + k];
    }
  }

  #numbersAt(place: GltfObject, count: number, width: number, component: ComponentType): Float64Array {
    const view = readNatural(place, 'bufferView', 0);
    return this.#numbers(view, readNatural(place, 'byteOffset', 0), count, width, component);
  }

  /** Numbers of a buffer view, from an offset in it. */
  #numbers(index: number, offset: number, count: number, width: number, { bytes, read }: ComponentType): Float64Array {
    const view = this.#buffers.view(index);
    const stride = view.stride ?? bytes * width;
    const needed = count === 0 ? offset : offset + (count - 1) * stride + bytes * width;
    if (needed > view.bytes.length) throw malformedGltf(`bufferView ${index} has not the bytes that are read from it`);
    const data = new DataView(view.bytes.buffer, view.bytes.byteOffset, view.bytes.byteLength);
    const values = new Float64Array(count * width);
    for (let i = 0, at = offset; i < count; i++, at += stride) {
      for (let k = 0; k < width; k++) values[i * width + k] = read(data, at + k * bytes);
    }
    return values;
  }
}

function normalized(accessor: GltfObject, values: Float64Array, { one }: ComponentType): Float64Array {
  if (accessor.normalized !== true || one === 1) return values;
  for (let i = 0; i < values.length; i++) values[i] = Math.max(values[i] / one, -1);
  return values;
}

function componentOf(holder: GltfObject): ComponentType {
  const type = readNatural(holder, 'componentType', 0);
  if (!Object.hasOwn(COMPONENT_TYPES, type)) throw malformedGltf(`the component type ${type} is none`);
  return COMPONENT_TYPES[type];
}
