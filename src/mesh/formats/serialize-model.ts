import type { IndexedMesh } from '../core/mesh.js';
import { MeshError } from '../core/mesh-error.js';
import { serializeAmf } from './amf/amf-writer.js';
import { exportFormatOf, type FormatId } from './format-table.js';
import { serializeGlb } from './gltf/glb-writer.js';
import { serializeObj } from './obj.js';
import { serializeOff } from './off.js';
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
 * Writes a mesh (mm) as a file of this format, a chunk after the other so that it can go to the disk as it is made. The same mesh
 * gives the same bytes. Throws `FORMAT_UNKNOWN` at once, `TOO_LARGE` where a coordinate does not fit into the format.
 */
export function serializeModel(mesh: IndexedMesh, format: string): Iterable<Uint8Array> {
  const id = exportFormatOf(format);
  const write = id && WRITERS[id];
  if (!write) throw new MeshError('FORMAT_UNKNOWN', `No writer for the format “${format}”`);
  return write(mesh);
}
