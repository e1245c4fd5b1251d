import { MeshError } from '../../core/mesh-error.js';

const MAGIC = 0x46546c67;
const JSON_CHUNK = 0x4e4f534a;
const BINARY_CHUNK = 0x004e4942;
const MAX_GLB_BYTES = 2 ** 32 - 1;

/**
 * The column-major matrix from millimeters with Z up to meters with Y up. A viewer applies it, so that the stored
 * coordinates stay in millimeters.
 */
export const TO_METERS = [0.001, 0, 0, 0, 0, 0, -0.001, 0, 0, 0.001, 0, 0, 0, 0, 0, 1];

/**
 * Serializes the JSON and the binary data of a glTF as GLB. `binaryBytes` is the length of the data, a multiple of four;
 * if it is 0, the GLB has no binary chunk. Throws `TOO_LARGE` for a file beyond 4 GiB.
 */
export function* serializeGlbContainer(
  json: object,
  binaryBytes: number,
  binary: Iterable<Uint8Array>,
): Iterable<Uint8Array> {
  const jsonBytes = paddedJson(json);
  const bytes = 12 + 8 + jsonBytes.length + (binaryBytes > 0 ? 8 + binaryBytes : 0);
  if (bytes > MAX_GLB_BYTES)
    throw new MeshError(
      'TOO_LARGE',
      `Could not write the GLB: it would have ${bytes} bytes, the limit is 4 GiB. Reduce the model first.`,
    );
  yield uint32Bytes(MAGIC, 2, bytes, jsonBytes.length, JSON_CHUNK);
  yield jsonBytes;
  if (binaryBytes === 0) return;
  yield uint32Bytes(binaryBytes, BINARY_CHUNK);
  yield* binary;
}

/** Returns JSON as bytes, padded with spaces to a multiple of four. */
function paddedJson(value: object): Uint8Array {
  const bytes = new TextEncoder().encode(JSON.stringify(value));
  const padded = new Uint8Array(Math.ceil(bytes.length / 4) * 4).fill(0x20);
  padded.set(bytes);
  return padded;
}

function uint32Bytes(...values: readonly number[]): Uint8Array {
  const view = new DataView(new ArrayBuffer(values.length * 4));
  for (const [i, value] of values.entries()) view.setUint32(i * 4, value, true);
  return new Uint8Array(view.buffer);
}
