import type { IndexedMesh } from '../core/mesh.js';
import { MeshError } from '../core/mesh-error.js';
import { serializeAmf } from './amf/amf-writer.js';
import { exportFormatOf, type FormatId } from './format-table.js';
import { serializeGlb } from './gltf/glb-writer.js';
import { serializeObj } from './obj/obj.js';
import { serializeOff } from './off/off.js';
import type { ModelWriter } from './parsed-model.js';
import { serializePly } from './ply/ply-writer.js';
import { serializeStlAscii } from './stl/stl-ascii.js';
import { serializeStlBinary } from './stl/stl-binary-writer.js';
import { serializeThreeMf } from './three-mf/three-mf-writer.js';

const WRITERS: Partial<Record<FormatId, ModelWriter>> = {
  stl: serializeStlBinary,
  'stl-ascii': serializeStlAscii,
  obj: serializeObj,
  ply: serializePly,
  off: serializeOff,
  '3mf': serializeThreeMf,
  amf: serializeAmf,
  glb: serializeGlb,
};

/**
 * Serializes a mesh in mm to a format, in chunks that can be written to disk as they are produced. Equal meshes produce
 * equal bytes. Throws `FORMAT_UNKNOWN` immediately, and `TOO_LARGE` while iterating if a coordinate exceeds the range
 * of the format.
 */
export function serializeModel(mesh: IndexedMesh, format: string): Iterable<Uint8Array> {
  const id = exportFormatOf(format);
  const write = id && WRITERS[id];
  if (!write) throw new MeshError('FORMAT_UNKNOWN', `Could not export to “${format}”: unsupported format.`);
  return write(mesh);
}
