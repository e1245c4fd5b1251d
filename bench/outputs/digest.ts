import { createHash } from 'node:crypto';
import type { IndexedMesh } from '../../src/mesh/core/mesh.js';

/** Keys of reports whose values are texts or names of steps: these may change while the geometry stays the same. */
const TEXT_KEYS: readonly string[] = ['message', 'name', 'reasons'];

/** Returns the first 16 hexadecimal digits of the SHA-256 of the chunks. */
export function digestBytes(chunks: Iterable<Uint8Array | string>): string {
  const hash = createHash('sha256');
  for (const chunk of chunks) hash.update(chunk);
  return hash.digest('hex').slice(0, 16);
}

/** Returns the digest of all positions (float64), triangles and objects of a mesh. */
export function digestMesh({ positions, triangles, objects = [] }: IndexedMesh): string {
  return digestBytes([bytesOf(positions), bytesOf(triangles), JSON.stringify(objects)]);
}

/** Returns the digest of a report or another result, without its texts and step names. */
export function digestReport(report: unknown): string {
  return digestBytes([JSON.stringify(report, (key, value: unknown) => (TEXT_KEYS.includes(key) ? undefined : value))]);
}

function bytesOf({ buffer, byteOffset, byteLength }: Float64Array | Uint32Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}
