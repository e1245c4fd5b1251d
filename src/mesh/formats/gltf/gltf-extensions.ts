import { MeshError } from '../../core/mesh-error.js';
import type { GltfObject } from './gltf-document.js';

/** Extensions that the reader implements. */
const IMPLEMENTED = new Set([
  'EXT_mesh_gpu_instancing',
  'EXT_meshopt_compression',
  'KHR_draco_mesh_compression',
  'KHR_mesh_quantization',
  'KHR_meshopt_compression',
]);
/** Extensions that change neither triangles nor where they are, by their name without the vendor. */
const WITHOUT_GEOMETRY =
  /^[A-Z0-9]+_(?:(?:materials|texture|lights|packing|techniques|audio|xmp|animation|physics)(?:_\w+)?|mesh_features|mesh_manifold|mesh_polygon|instance_features|structural_metadata|primitive_outline|ngon_encoding|geometry_metadata|lod|articulations|stk_metadata|interactivity|node_selectability|node_hoverability|single_root)$/;

/**
 * Throws `FORMAT_UNKNOWN` with the name of an extension that the file requires and the reader does not know: without it,
 * the geometry may be another (glTF 2.0, 3.12).
 */
export function rejectUnknownExtensions({ extensionsRequired }: GltfObject): void {
  if (!Array.isArray(extensionsRequired)) return;
  const unknown: unknown = extensionsRequired.find(
    (name: unknown) => typeof name !== 'string' || !(IMPLEMENTED.has(name) || WITHOUT_GEOMETRY.test(name)),
  );
  if (unknown === undefined) return;
  const name = String(unknown).slice(0, 60);
  const message = `Could not read the glTF: it requires the unsupported extension ${name}. Save it without this extension.`;
  throw new MeshError('FORMAT_UNKNOWN', message);
}
