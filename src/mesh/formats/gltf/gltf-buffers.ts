import { MeshError } from '../../core/mesh-error.js';
import type { ReadCompanion } from '../reading/companion-path.js';
import {
  type GltfDocument,
  type GltfObject,
  malformedGltf,
  readNatural,
  readObject,
  readObjects,
  readString,
} from './gltf-document.js';

/** The meshopt encoding of a buffer view, which decodes to `count` elements of `stride` bytes. */
export interface MeshoptEncoding {
  count: number;
  stride: number;
  mode: string;
  filter: string;
}

/** An attribute in Draco data: its name in errors, its id, and the number of components of its elements. */
export interface DracoAttributeId {
  name: string;
  id: number;
  width: number;
}

/**
 * Decoders of compressed geometry, loaded only for files that need them. A file that needs a missing one is rejected.
 */
export interface GltfDecoders {
  /** Decodes the corners of a mesh, and the values of its attributes in the same sequence. */
  draco?: (
    bytes: Uint8Array,
    attributes: readonly DracoAttributeId[],
  ) => { corners: Uint32Array; values: Float64Array[] };
  /** Decodes the bytes of a buffer view. */
  meshopt?: (bytes: Uint8Array, encoding: MeshoptEncoding) => Uint8Array;
}

const MESHOPT = ['EXT_meshopt_compression', 'KHR_meshopt_compression'];

/**
 * Returns the bytes of buffer views. Buffers are the GLB chunk, data URIs and companions of the file; nothing else is
 * opened or fetched. Throws `FILE_MALFORMED` if a view exceeds its buffer.
 */
export class GltfBuffers {
  readonly #views: GltfObject[];
  readonly #buffers: GltfObject[];
  readonly #binary: Uint8Array | undefined;
  readonly #decoders: GltfDecoders;
  readonly #readCompanion: ReadCompanion | undefined;
  /** buffer → its bytes, once requested */
  readonly #bytes = new Map<number, Uint8Array>();
  /** reference → the bytes of the companion */
  readonly #companions = new Map<string, Uint8Array | undefined>();
  /** buffer view → its decoded bytes, if compressed */
  readonly #decoded = new Map<number, Uint8Array>();

  constructor({ json, binary, readCompanion }: GltfDocument, decoders: GltfDecoders) {
    this.#views = readObjects(json, 'bufferViews');
    this.#buffers = readObjects(json, 'buffers');
    this.#binary = binary;
    this.#decoders = decoders;
    this.#readCompanion = readCompanion;
  }

  /** Returns the decoded bytes of a buffer view, and its stride if declared. */
  view(index: number): { bytes: Uint8Array; stride: number | undefined } {
    const view = this.#views[index];
    if (!view) throw malformedGltf(`there is no bufferView ${index}`);
    const stride = readNatural(view, 'byteStride', 0) || undefined;
    const extensions = readObject(view, 'extensions') ?? {};
    const extension = MESHOPT.map((name) => readObject(extensions, name)).find((extension) => extension !== undefined);
    if (extension) return { bytes: this.#decode(index, extension), stride };
    const compression = Object.keys(extensions).find((name) => name.includes('compression'));
    if (compression) throw unsupportedCompressionError(compression);
    return { bytes: this.#slice(view, `bufferView ${index}`), stride };
  }

  #decode(index: number, extension: GltfObject): Uint8Array {
    const existing = this.#decoded.get(index);
    if (existing) return existing;
    const decode = this.#decoders.meshopt;
    if (!decode) throw unsupportedCompressionError(MESHOPT[0]);
    const bytes = decode(this.#slice(extension, `the compressed bufferView ${index}`), {
      count: readNatural(extension, 'count', 0),
      stride: readNatural(extension, 'byteStride', 0),
      mode: readString(extension, 'mode'),
      filter: readString(extension, 'filter') || 'NONE',
    });
    this.#decoded.set(index, bytes);
    return bytes;
  }

  /** Returns the range of a buffer that a view or a compression extension declares. */
  #slice(location: GltfObject, label: string): Uint8Array {
    const buffer = this.#findBuffer(readNatural(location, 'buffer', 0));
    const start = readNatural(location, 'byteOffset', 0);
    const end = start + readNatural(location, 'byteLength', 0);
    if (end > buffer.length) throw malformedGltf(`${label} exceeds its buffer`);
    return buffer.subarray(start, end);
  }

  #findBuffer(index: number): Uint8Array {
    const existing = this.#bytes.get(index);
    if (existing) return existing;
    const buffer = this.#buffers[index];
    const uri = buffer ? readString(buffer, 'uri') : '';
    const bytes = uri === '' && index === 0 ? this.#binary : (fromDataUri(uri) ?? this.#findCompanion(uri));
    if (!bytes) throw malformedGltf(`buffer ${index} has no bytes`);
    this.#bytes.set(index, bytes);
    return bytes;
  }

  #findCompanion(uri: string): Uint8Array | undefined {
    if (uri === '') return undefined;
    if (!this.#companions.has(uri)) this.#companions.set(uri, this.#readCompanion?.(uri));
    const bytes = this.#companions.get(uri);
    if (bytes) return bytes;
    const label = `“${uri.slice(0, 80)}”`;
    const reason = this.#readCompanion
      ? ', which is missing, or outside of the folder or ZIP. Add it there, or save the model as one GLB'
      : '. Pack both into a ZIP, or save the model as one GLB';
    throw malformedGltf(`the geometry is in another file, ${label}${reason}`);
  }
}

/** Returns the bytes of a data URI, or `undefined` for any other. Throws `FILE_MALFORMED` for one without base64. */
function fromDataUri(uri: string): Uint8Array | undefined {
  const head = /^data:[^,]{0,200};base64,/i.exec(uri);
  if (head) return Buffer.from(uri.slice(head[0].length), 'base64');
  if (!/^data:/i.test(uri)) return undefined;
  throw malformedGltf('the geometry is in a data URI without base64. Save it as one GLB');
}

/** Returns the error for an unsupported compression extension. */
export function unsupportedCompressionError(extension: string): MeshError {
  const message = `Could not read the glTF: unsupported compression ${extension.slice(0, 60)}. Save it without compression.`;
  return new MeshError('FORMAT_UNKNOWN', message);
}
