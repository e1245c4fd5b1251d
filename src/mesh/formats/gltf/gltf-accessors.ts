import type { GltfBuffers } from './gltf-buffers.js';
import { type GltfObject, malformedGltf, readNatural, readObject, readObjects } from './gltf-document.js';

type ComponentReader = (view: DataView, offset: number) => number;

interface ComponentType {
  bytes: number;
  read: ComponentReader;
  /** The integer that represents 1 in a normalized accessor. */
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
/** The elements of an accessor: its type → the number of its components. */
const WIDTHS = { SCALAR: 1, VEC3: 3, VEC4: 4, MAT4: 16 };
/** An accessor without a buffer view is all zeros; larger ones are rejected unless their number of elements is known. */
const MAX_ZERO_FILLED = 2 ** 18;

/**
 * Reads the values of accessors: interleaved, normalized and sparse. Throws `FILE_MALFORMED` if an accessor exceeds its
 * buffer.
 */
export class GltfAccessors {
  readonly #accessors: GltfObject[];
  readonly #buffers: GltfBuffers;

  constructor(json: GltfObject, buffers: GltfBuffers) {
    this.#accessors = readObjects(json, 'accessors');
    this.#buffers = buffers;
  }

  /** Returns whether an accessor has its own data. Without any, an extension provides the data, or it is all zeros. */
  hasBytes(index: number): boolean {
    const accessor = this.#accessors.at(index);
    return accessor?.bufferView !== undefined || accessor?.sparse !== undefined;
  }

  /** Returns the number of elements of an accessor; 0 if it does not exist. */
  count(index: number): number {
    return readNatural(this.#accessors[index] ?? {}, 'count', 0);
  }

  /** Returns the values of an accessor of the given type. Throws unless it has `expectedCount` elements, if given. */
  read(index: number, type: keyof typeof WIDTHS, expectedCount?: number): Float64Array {
    const accessor = this.#accessors[index];
    if (!accessor || accessor.type !== type) throw malformedGltf(`there is no accessor ${index} of type ${type}`);
    const width = WIDTHS[type];
    const count = readNatural(accessor, 'count', 0);
    if (expectedCount !== undefined && count !== expectedCount)
      throw malformedGltf(`accessor ${index} has ${count} elements for ${expectedCount} points`);
    const component = componentOf(accessor);
    const view = readNatural(accessor, 'bufferView', undefined);
    if (view === undefined && expectedCount === undefined && count > MAX_ZERO_FILLED)
      throw malformedGltf(`accessor ${index} has ${count} elements and no bytes`);
    const offset = readNatural(accessor, 'byteOffset', 0);
    const values =
      view === undefined ? new Float64Array(count * width) : this.#readNumbers(view, offset, count, width, component);
    this.#applySparse(accessor, values, width, component);
    return normalizeValues(accessor, values, component);
  }

  /** Applies the normalization of an accessor to values that an extension has decoded for it. */
  normalize(index: number, values: Float64Array): Float64Array {
    const accessor = this.#accessors[index];
    return accessor ? normalizeValues(accessor, values, componentOf(accessor)) : values;
  }

  #applySparse(accessor: GltfObject, values: Float64Array, width: number, component: ComponentType): void {
    const sparse = readObject(accessor, 'sparse');
    if (!sparse) return;
    const count = readNatural(sparse, 'count', 0);
    const [indices, replacements] = [readObject(sparse, 'indices') ?? {}, readObject(sparse, 'values') ?? {}];
    const targets = this.#readNumbersAt(indices, count, 1, componentOf(indices));
    const numbers = this.#readNumbersAt(replacements, count, width, component);
    for (let i = 0; i < count; i++) {
      const offset = targets[i] * width;
      if (!(offset < values.length)) throw malformedGltf('a sparse index exceeds its accessor');
      for (let k = 0; k < width; k++) values[offset + k] = numbers[i * width + k];
    }
  }

  #readNumbersAt(location: GltfObject, count: number, width: number, component: ComponentType): Float64Array {
    const view = readNatural(location, 'bufferView', 0);
    return this.#readNumbers(view, readNatural(location, 'byteOffset', 0), count, width, component);
  }

  /** Reads numbers of a buffer view, from a byte offset on. */
  #readNumbers(
    index: number,
    offset: number,
    count: number,
    width: number,
    { bytes, read }: ComponentType,
  ): Float64Array {
    const view = this.#buffers.view(index);
    const stride = view.stride ?? bytes * width;
    const needed = count === 0 ? offset : offset + (count - 1) * stride + bytes * width;
    if (needed > view.bytes.length) throw malformedGltf(`an accessor exceeds bufferView ${index}`);
    const data = new DataView(view.bytes.buffer, view.bytes.byteOffset, view.bytes.byteLength);
    const values = new Float64Array(count * width);
    for (let i = 0, element = offset; i < count; i++, element += stride) {
      for (let k = 0; k < width; k++) values[i * width + k] = read(data, element + k * bytes);
    }
    return values;
  }
}

function normalizeValues(accessor: GltfObject, values: Float64Array, { one }: ComponentType): Float64Array {
  if (accessor.normalized !== true || one === 1) return values;
  for (let i = 0; i < values.length; i++) values[i] = Math.max(values[i] / one, -1);
  return values;
}

function componentOf(holder: GltfObject): ComponentType {
  const type = readNatural(holder, 'componentType', 0);
  if (!Object.hasOwn(COMPONENT_TYPES, type)) throw malformedGltf(`unknown component type ${type}`);
  return COMPONENT_TYPES[type];
}
