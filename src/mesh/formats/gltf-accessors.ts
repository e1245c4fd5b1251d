import { MeshError } from '../mesh-error.js';
import {
  type GltfDocument,
  type GltfObject,
  gltfMalformed,
  naturalIn,
  objectIn,
  objectsIn,
  textIn,
} from './gltf-document.js';

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

/**
 * Hands out the numbers of accessors: interleaved, normalised and sparse ones. Buffers are those of the GLB and of data URIs; nothing is ever
 * opened or fetched. Throws `FILE_MALFORMED` for what reaches out of its buffer.
 */
export class GltfAccessors {
  readonly #accessors: GltfObject[];
  readonly #views: GltfObject[];
  readonly #buffers: GltfObject[];
  readonly #binary: Uint8Array | undefined;
  /** buffer → its bytes, once they were asked for */
  readonly #bytes = new Map<number, Uint8Array>();

  constructor({ json, binary }: GltfDocument) {
    this.#accessors = objectsIn(json, 'accessors');
    this.#views = objectsIn(json, 'bufferViews');
    this.#buffers = objectsIn(json, 'buffers');
    this.#binary = binary;
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
    if (accessor.normalized === true && component.one > 1) {
      for (let i = 0; i < values.length; i++) values[i] = Math.max(values[i] / component.one, -1);
    }
    return values;
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
    const view = this.#views[index];
    if (!view) throw gltfMalformed(`there is no bufferView ${index}`);
    const buffer = this.#bufferOf(naturalIn(view, 'buffer', 0), view);
    const stride = naturalIn(view, 'byteStride', 0) || bytes * width;
    const start = naturalIn(view, 'byteOffset', 0) + offset;
    const end = naturalIn(view, 'byteOffset', 0) + naturalIn(view, 'byteLength', 0);
    const needed = count === 0 ? start : start + (count - 1) * stride + bytes * width;
    if (needed > end || end > buffer.length)
      throw gltfMalformed(`bufferView ${index} has not the bytes that are read from it`);
    const data = new DataView(buffer.buffer, buffer.byteOffset, buffer.byteLength);
    const values = new Float64Array(count * width);
    for (let i = 0, at = start; i < count; i++, at += stride) {
      for (let k = 0; k < width; k++) values[i * width + k] = read(data, at + k * bytes);
    }
    return values;
  }

  #bufferOf(index: number, view: GltfObject): Uint8Array {
    const packing = Object.keys(objectIn(view, 'extensions') ?? {}).find((name) => name.includes('compression'));
    if (packing) throw compressed(packing);
    const known = this.#bytes.get(index);
    if (known) return known;
    const buffer = this.#buffers[index];
    const uri = buffer ? textIn(buffer, 'uri') : '';
    const bytes = uri === '' && index === 0 ? this.#binary : fromDataUri(uri);
    if (!bytes) throw gltfMalformed(`buffer ${index} has no bytes`);
    this.#bytes.set(index, bytes);
    return bytes;
  }
}

function componentOf(holder: GltfObject): ComponentType {
  const type = naturalIn(holder, 'componentType', 0);
  if (!Object.hasOwn(COMPONENT_TYPES, type)) throw gltfMalformed(`the component type ${type} is none`);
  return COMPONENT_TYPES[type];
}

function fromDataUri(uri: string): Uint8Array | undefined {
  if (uri === '') return undefined;
  const head = /^data:[^,]{0,200};base64,/i.exec(uri);
  if (head) return Buffer.from(uri.slice(head[0].length), 'base64');
  const name = uri.startsWith('data:') ? 'a data URI of another kind' : `another file, “${uri.slice(0, 80)}”`;
  throw gltfMalformed(`its geometry is in ${name}: save it as one GLB`);
}

/** The error for a glTF whose geometry is packed in a way that is not read. */
export function compressed(extension: string): MeshError {
  const message = `This glTF is packed by ${extension.slice(0, 60)}, which is not read: save it without compression`;
  return new MeshError('FORMAT_UNKNOWN', message);
}
