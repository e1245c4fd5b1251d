import { MeshError } from '../../core/mesh-error.js';
import {
  type GltfDocument,
  type GltfObject,
  malformedGltf,
  readNatural,
  readObject,
  readObjects,
  readString,
} from './gltf-document.js';

/** How the bytes of a buffer view were packed by meshopt: `count` elements of `stride` bytes each come out. */
export interface MeshoptEncoding {
  count: number;
  stride: number;
  mode: string;
  filter: string;
}

/** What unpacks geometry that was packed. It is loaded for a file that needs it; a file that needs what is not there is refused. */
export interface GltfDecoders {
  /** The points (x, y, z) and corners of a mesh, by the number that its attribute of positions has. */
  draco?: (bytes: Uint8Array, position: number) => { points: Float64Array; corners: Uint32Array };
  /** The bytes that were packed. */
  meshopt?: (bytes: Uint8Array, packing: MeshoptEncoding) => Uint8Array;
}

const MESHOPT = ['EXT_meshopt_compression', 'KHR_meshopt_compression'];

/**
 * Hands out the bytes of buffer views. Buffers are those of the GLB and of data URIs; nothing is ever opened or fetched. Throws
 * `FILE_MALFORMED` for what reaches out of its buffer.
 */
export class GltfBuffers {
  readonly #views: GltfObject[];
  readonly #buffers: GltfObject[];
  readonly #binary: Uint8Array | undefined;
  readonly #decoders: GltfDecoders;
  /** buffer → its bytes, once they were asked for */
  readonly #bytes = new Map<number, Uint8Array>();
  /** view → its bytes, where they were packed */
  readonly #unpacked = new Map<number, Uint8Array>();

  constructor({ json, binary }: GltfDocument, decoders: GltfDecoders) {
    this.#views = readObjects(json, 'bufferViews');
    this.#buffers = readObjects(json, 'buffers');
    this.#binary = binary;
    this.#decoders = decoders;
  }

  /** The bytes of a view, unpacked, and how far its elements are apart where it says so. */
  view(index: number): { bytes: Uint8Array; stride: number | undefined } {
    const view = this.#views[index];
    if (!view) throw malformedGltf(`there is no bufferView ${index}`);
    const stride = readNatural(view, 'byteStride', 0) || undefined;
    const extensions = readObject(view, 'extensions') ?? {};
    const packed = MESHOPT.map((name) => readObject(extensions, name)).find((one) => one !== undefined);
    if (packed) return { bytes: this.#unpack(index, packed), stride };
    const packing = Object.keys(extensions).find((name) => name.includes('compression'));
    if (packing) throw unsupportedCompressionError(packing);
    return { bytes: this.#slice(view, `bufferView ${index}`), stride };
  }

  #unpack(index: number, packed: GltfObject): Uint8Array {
    const existing = this.#unpacked.get(index);
    if (existing) return existing;
    const decode = this.#decoders.meshopt;
    if (!decode) throw unsupportedCompressionError(MESHOPT[0]);
    const bytes = decode(this.#slice(packed, `the packed bufferView ${index}`), {
      count: readNatural(packed, 'count', 0),
      stride: readNatural(packed, 'byteStride', 0),
      mode: readString(packed, 'mode'),
      filter: readString(packed, 'filter') || 'NONE',
    });
    this.#unpacked.set(index, bytes);
    return bytes;
  }

  /** The piece of a buffer that a view, or a packed one, names. */
  #slice(place: GltfObject, what: string): Uint8Array {
    const buffer = this.#bufferOf(readNatural(place, 'buffer', 0));
    const start = readNatural(place, 'byteOffset', 0);
    const end = start + readNatural(place, 'byteLength', 0);
    if (end > buffer.length) throw malformedGltf(`${what} reaches out of its buffer`);
    return buffer.subarray(start, end);
  }

  #bufferOf(index: number): Uint8Array {
    const existing = this.#bytes.get(index);
    if (existing) return existing;
    const buffer = this.#buffers[index];
    const uri = buffer ? readString(buffer, 'uri') : '';
    const bytes = uri === '' && index === 0 ? this.#binary : fromDataUri(uri);
    if (!bytes) throw malformedGltf(`buffer ${index} has no bytes`);
    this.#bytes.set(index, bytes);
    return bytes;
  }
}

function fromDataUri(uri: string): Uint8Array | undefined {
  if (uri === '') return undefined;
  const head = /^data:[^,]{0,200};base64,/i.exec(uri);
  if (head) return Buffer.from(uri.slice(head[0].length), 'base64');
  const name = uri.startsWith('data:') ? 'a data URI of another kind' : `another file, “${uri.slice(0, 80)}”`;
  throw malformedGltf(`its geometry is in ${name}: save it as one GLB`);
}

/** The error for a glTF whose geometry is packed in a way that is not read. */
export function unsupportedCompressionError(extension: string): MeshError {
  const message = `This glTF is packed by ${extension.slice(0, 60)}, which is not read: save it without compression`;
  return new MeshError('FORMAT_UNKNOWN', message);
}
