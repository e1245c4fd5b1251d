import type { HelperBodies } from '../core/mesh.js';
import { MeshError } from '../core/mesh-error.js';
import type { FittedMesh } from './format.js';
import { exportFormatOf } from './registry.js';

/**
 * Serializes a mesh in mm to a format, in chunks that can be written to disk as they are produced. Equal meshes produce
 * equal bytes. Throws `FORMAT_UNKNOWN` immediately, and `TOO_LARGE` while iterating if a coordinate exceeds the range
 * of the format. Helper bodies are written if the format stores their roles.
 */
export function serializeModel(mesh: FittedMesh, format: string, helpers?: HelperBodies): Iterable<Uint8Array> {
  const { write, writtenRoles } = exportFormatOf(format) ?? {};
  if (!write) throw new MeshError('FORMAT_UNKNOWN', `Could not export to “${format}”: unsupported format.`);
  return writtenRoles ? write(mesh, helpers) : write(mesh);
}
