import { loadDraco } from '../gltf/draco.js';
import { parseCompressedGltf } from '../gltf/gltf.js';
import type { GltfDecoders } from '../gltf/gltf-buffers.js';
import { loadMeshopt } from '../gltf/meshopt.js';
import type { ModelReader } from '../parsed-model.js';

/**
 * Loads the reader of a glTF or GLB that mentions compressed geometry, with the decoders that it mentions. Returns
 * `undefined` for any other.
 */
export function loadCompressedGltf(bytes: Uint8Array): Promise<ModelReader> | undefined {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const isDraco = file.includes('KHR_draco_mesh_compression');
  const isMeshopt = file.includes('_meshopt_compression');
  return isDraco || isMeshopt ? load(isDraco, isMeshopt) : undefined;
}

async function load(isDraco: boolean, isMeshopt: boolean): Promise<ModelReader> {
  const decoders: GltfDecoders = {};
  if (isDraco) decoders.draco = await loadDraco();
  if (isMeshopt) decoders.meshopt = await loadMeshopt();
  return (bytes, onProgress) => parseCompressedGltf(bytes, onProgress, decoders);
}
