import { MeshError } from '../../core/mesh-error.js';
import type { ReadCompanion } from '../reading/companion-path.js';

/** An object of the JSON, read property by property with the functions below. */
export type GltfObject = Readonly<Record<string, unknown>>;

/** The JSON of a glTF and, in a GLB, its binary chunk. */
export interface GltfDocument {
  json: GltfObject;
  binary: Uint8Array | undefined;
  /** Whether a GLB is shorter than its header declares. Default: false. */
  isTruncated?: boolean;
  /** Reads the files that buffers reference. Default: none is available. */
  readCompanion?: ReadCompanion | undefined;
}

const MAGIC = 0x46546c67;
const JSON_CHUNK = 0x4e4f534a;
const BINARY_CHUNK = 0x004e4942;
const MAX_JSON_BYTES = 2 ** 28;

/**
 * Parses the container of a glTF 2.0 or GLB. Throws `FILE_MALFORMED` for other content, `TOO_LARGE` for more than 256
 * MiB of JSON.
 */
export function readGltfDocument(bytes: Uint8Array): GltfDocument {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length < 12 || view.getUint32(0, true) !== MAGIC) return { json: readJson(bytes), binary: undefined };
  const version = view.getUint32(4, true);
  if (version !== 2) throw malformedGltf(`version ${version} is unsupported. Save it as glTF 2`);
  let json: GltfObject | undefined;
  let binary: Uint8Array | undefined;
  for (let offset = 12; offset + 8 <= bytes.length && (!json || !binary); ) {
    const length = view.getUint32(offset, true);
    const kind = view.getUint32(offset + 4, true);
    const content = bytes.subarray(offset + 8, offset + 8 + length);
    if (content.length < length && kind === JSON_CHUNK) throw malformedGltf('the JSON is truncated');
    if (kind === JSON_CHUNK) json ??= readJson(content);
    else if (kind === BINARY_CHUNK) binary ??= content;
    offset += 8 + length;
  }
  if (!json) throw malformedGltf('it has no JSON');
  return { json, binary, isTruncated: bytes.length < view.getUint32(8, true) };
}

function readJson(bytes: Uint8Array): GltfObject {
  if (bytes.length > MAX_JSON_BYTES)
    throw new MeshError('TOO_LARGE', 'Could not read the glTF: its JSON exceeds 256 MiB.');
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder().decode(bytes));
  } catch (cause) {
    throw new MeshError('FILE_MALFORMED', 'Invalid glTF: the JSON is malformed.', { cause });
  }
  if (!isGltfObject(value)) throw malformedGltf('the JSON is not an object');
  const version = readObject(value, 'asset')?.version;
  if (typeof version === 'string' && !version.startsWith('2')) {
    throw malformedGltf(`version ${version.slice(0, 10)} is unsupported. Save it as glTF 2`);
  }
  return value;
}

function isGltfObject(value: unknown): value is GltfObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns the object at `key`, or `undefined`. */
export function readObject(parent: GltfObject, key: string): GltfObject | undefined {
  const value = parent[key];
  return isGltfObject(value) ? value : undefined;
}

/** Returns the list of objects at `key`. Other entries become empty objects, so that indices stay valid. */
export function readObjects(parent: GltfObject, key: string): GltfObject[] {
  const value = parent[key];
  return Array.isArray(value) ? value.map((entry: unknown) => (isGltfObject(entry) ? entry : {})) : [];
}

/**
 * Returns the non-negative integer at `key`, or `fallback` if it is missing. Throws `FILE_MALFORMED` for any other
 * value.
 */
export function readNatural<T>(parent: GltfObject, key: string, fallback: T): number | T {
  const value = parent[key];
  if (value === undefined) return fallback;
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value;
  throw malformedGltf(`“${key}” is not a non-negative integer`);
}

/**
 * Returns the list of numbers at `key`, or `undefined` if it is missing. Throws `FILE_MALFORMED` for any other value,
 * or a length other than `count` if given.
 */
export function readNumberList(parent: GltfObject, key: string, count?: number): number[] | undefined {
  const value = parent[key];
  if (value === undefined) return undefined;
  const isNumberList =
    Array.isArray(value) &&
    (count === undefined || value.length === count) &&
    value.every((entry: unknown) => typeof entry === 'number');
  if (!isNumberList) throw malformedGltf(`“${key}” is not a list of ${count === undefined ? '' : `${count} `}numbers`);
  return value as number[]; // every entry was checked above
}

/** Returns the string at `key`, or an empty one. */
export function readString(parent: GltfObject, key: string): string {
  const value = parent[key];
  return typeof value === 'string' ? value : '';
}

/** Returns the error for an invalid glTF. */
export function malformedGltf(reason: string): MeshError {
  return new MeshError('FILE_MALFORMED', `Invalid glTF: ${reason}.`);
}
