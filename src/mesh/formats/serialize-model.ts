import { MeshError } from '../core/mesh-error.js';
import type { FittedMesh } from './format.js';
import { exportFormatOf } from './registry.js';

/**
 * Serializes a mesh in mm to a format, in chunks that can be written to disk as they are produced. Equal meshes produce
 * equal bytes. Throws `FORMAT_UNKNOWN` immediately, and `TOO_LARGE` while iterating if a coordinate exceeds the range
 * of the format.
 */
export function serializeModel(mesh: FittedMesh, format: string): Iterable<Uint8Array> {
  const write = exportFormatOf(format)?.write;
  if (!write) throw new MeshError('FORMAT_UNKNOWN', `Could not export to “${format}”: unsupported format.`);
  return write(mesh);
}
