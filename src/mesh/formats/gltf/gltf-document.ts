import { MeshError } from '../../core/mesh-error.js';

/** An object of a glTF's JSON: its fields are read one by one, by the functions below. */
export type GltfObject = Readonly<Record<string, unknown>>;

/** The JSON of a glTF, and the bytes of the buffer that comes with it in a GLB. */
export interface GltfDocument {
  json: GltfObject;
  binary: Uint8Array | undefined;
}

const MAGIC = 0x46546c67;
const JSON_CHUNK = 0x4e4f534a;
const BINARY_CHUNK = 0x004e4942;
const MAX_JSON_BYTES = 2 ** 28;

/** Reads a glTF 2, JSON or GLB. Throws `FILE_MALFORMED` for what is none, `TOO_LARGE` for more than 256 MiB of JSON. */
export function readGltfDocument(bytes: Uint8Array): GltfDocument {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length < 12 || view.getUint32(0, true) !== MAGIC) return { json: readJson(bytes), binary: undefined };
  const version = view.getUint32(4, true);
  if (version !== 2) throw malformedGltf(`it has version ${version}: save it as glTF 2`);
  let json: GltfObject | undefined;
  let binary: Uint8Array | undefined;
  for (let offset = 12; offset + 8 <= bytes.length && (!json || !binary); ) {
    const length = view.getUint32(offset, true);
    const kind = view.getUint32(offset + 4, true);
    const content = bytes.subarray(offset + 8, offset + 8 + length);
    if (content.length < length && kind === JSON_CHUNK) throw malformedGltf('its JSON breaks off');
    if (kind === JSON_CHUNK) json ??= readJson(content);
    else if (kind === BINARY_CHUNK) binary ??= content;
    offset += 8 + length;
  }
  if (!json) throw malformedGltf('it holds no JSON');
  return { json, binary };
}

function readJson(bytes: Uint8Array): GltfObject {
  if (bytes.length > MAX_JSON_BYTES) throw new MeshError('TOO_LARGE', 'The JSON of this glTF is larger than 256 MiB');
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder().decode(bytes));
  } catch (cause) {
    throw new MeshError('FILE_MALFORMED', 'This is no sound glTF: its JSON cannot be read', { cause });
  }
  if (!isObject(value)) throw malformedGltf('its JSON is no object');
  const version = readObject(value, 'asset')?.version;
  if (typeof version === 'string' && !version.startsWith('2')) {
    throw malformedGltf(`it has version ${version.slice(0, 10)}: save it as glTF 2`);
  }
  return value;
}

const isObject = (value: unknown): value is GltfObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The object in a field; `undefined` where it holds none. */
export function readObject(parent: GltfObject, key: string): GltfObject | undefined {
  const value = parent[key];
  return isObject(value) ? value : undefined;
}

/** The objects in the list of a field; what is no object is an empty one, so that numbers of things stay true. */
export function readObjects(parent: GltfObject, key: string): GltfObject[] {
  const value = parent[key];
  return Array.isArray(value) ? value.map((entry: unknown) => (isObject(entry) ? entry : {})) : [];
}

/** The natural number in a field, or `otherwise` where there is none. Throws `FILE_MALFORMED` where there is something else. */
export function readNatural<T>(parent: GltfObject, key: string, otherwise: T): number | T {
  const value = parent[key];
  if (value === undefined) return otherwise;
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value;
  throw malformedGltf(`a “${key}” is no natural number`);
}

/** The numbers in the list of a field. Throws `FILE_MALFORMED` where it is no list of as many numbers, where a count is given. */
export function readNumberList(parent: GltfObject, key: string, count?: number): number[] | undefined {
  const value = parent[key];
  if (value === undefined) return undefined;
  const isSound =
    Array.isArray(value) &&
    (count === undefined || value.length === count) &&
    value.every((entry: unknown) => typeof entry === 'number');
  if (!isSound) throw malformedGltf(`a “${key}” is no list of ${count ?? 'its'} numbers`);
  return value as number[]; // every entry has just been found to be one
}

/** The text in a field; empty where there is none. */
export function readString(parent: GltfObject, key: string): string {
  const value = parent[key];
  return typeof value === 'string' ? value : '';
}

/** The error for a glTF that is not what it should be. */
export const malformedGltf = (why: string): MeshError =>
  new MeshError('FILE_MALFORMED', `This is no sound glTF: ${why}`);
