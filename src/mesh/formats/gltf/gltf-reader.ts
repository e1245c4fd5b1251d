// Dialects that the reader accepts:
//
// | dialect | written by |
// |---|---|
// | glTF 2.0 and GLB, scenes, nodes and meshes in any sequence; no scene: all root nodes | all |
// | buffers as data URIs, in the GLB or in other files of a ZIP | Blender, three.js, Windows 3D |
// | triangle lists, strips and fans, with and without indices | all; strips: game engines |
// | integer and normalized positions (`KHR_mesh_quantization`) | gltfpack, glTF Transform |
// | `KHR_draco_mesh_compression`, `EXT_` and `KHR_meshopt_compression`, also of joints and weights | glTF Transform, gltf-pipeline, gltfpack |
// | sparse accessors, without a buffer view too | Blender and Maya exporters, for morph targets |
// | skins, in the pose of the nodes; up to any number of joints a point; weights that are not normalized | Blender, Mixamo, FBX2glTF, VRM |
// | morph targets with the weights of the node or the mesh | Blender, Ready Player Me, VRM |
// | `EXT_mesh_gpu_instancing`, also with quantized rotations | glTF Transform, gltfpack `-mi`, Babylon.js |
// | a GLB whose chunks are not aligned, or that is shorter than its header declares | hand-written exporters, cut downloads |
//
// glTF 1.0 is refused, and so is a file that requires an extension which is in neither list of gltf-extensions.ts. assimp
// reads glTF too, but is not used for it: it places a skinned mesh by its node, and ignores morph weights and instances.
// compared-readers.test.ts compares both.

import type { ReportWarning } from '../../analysis/report.js';
import type { OnProgress } from '../../core/mesh.js';
import type { ModelReader, ParsedModel, ReadOptions } from '../format.js';
import { yUpToZUp } from '../reading/affine-transform.js';
import { loadDraco } from './draco.js';
import type { GltfDecoders } from './gltf-buffers.js';
import { readGltfDocument } from './gltf-document.js';
import { rejectUnknownExtensions } from './gltf-extensions.js';
import { parseGltfDocument } from './gltf-scene.js';
import { loadMeshopt } from './meshopt.js';

const MM_PER_METER = 1000;
const TRUNCATED: ReportWarning = {
  code: 'TRUNCATED',
  message: 'The file is shorter than its header declares; only complete content was read.',
};

/**
 * Parses a glTF 2.0 or GLB: the triangles of all nodes of the scene, converted from meters with Y up to mm with Z up.
 * Buffers are the GLB chunk, data URIs or companions; a missing companion is rejected with its name. Skins
 * and morph targets are applied in the pose of the nodes; animations are ignored. An unknown extension that the file
 * requires is rejected by its name. Compressed geometry is rejected: see `loadCompressedGltf`.
 */
export function parseGltf(
  bytes: Uint8Array,
  onProgress: OnProgress | undefined,
  { readCompanion }: ReadOptions,
  decoders: GltfDecoders = {},
): ParsedModel {
  const { isTruncated, ...content } = readGltfDocument(bytes);
  rejectUnknownExtensions(content.json);
  const model = parseGltfDocument({ ...content, readCompanion }, yUpToZUp(MM_PER_METER), onProgress, decoders);
  return isTruncated ? { ...model, warnings: [TRUNCATED, ...model.warnings] } : model;
}

/**
 * Loads the reader of a glTF or GLB that mentions compressed geometry, with the decoders that it mentions. Returns
 * `undefined` for any other.
 */
export function loadCompressedGltf(bytes: Uint8Array): Promise<ModelReader> | undefined {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const isDraco = file.includes('KHR_draco_mesh_compression');
  const isMeshopt = file.includes('_meshopt_compression');
  return isDraco || isMeshopt ? loadWithDecoders(isDraco, isMeshopt) : undefined;
}

async function loadWithDecoders(isDraco: boolean, isMeshopt: boolean): Promise<ModelReader> {
  const decoders: GltfDecoders = {};
  if (isDraco) decoders.draco = await loadDraco();
  if (isMeshopt) decoders.meshopt = await loadMeshopt();
  return (bytes, onProgress, options) => parseGltf(bytes, onProgress, options, decoders);
}
