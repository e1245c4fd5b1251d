import type { ReportWarning } from '../../analysis/report.js';
import type { OnProgress } from '../../core/mesh.js';
import type { ModelReader, ParsedModel, ReadOptions } from '../format.js';
import { yUpToZUp } from '../reading/affine-transform.js';
import { loadDraco } from './draco.js';
import type { GltfDecoders } from './gltf-buffers.js';
import { readGltfDocument } from './gltf-document.js';
import { parseGltfDocument } from './gltf-scene.js';
import { loadMeshopt } from './meshopt.js';

const MM_PER_METER = 1000;
const TRUNCATED: ReportWarning = {
  code: 'TRUNCATED',
  message: 'The file is shorter than its header declares; only complete content was read.',
};

/**
 * Parses a glTF 2.0 or GLB: the triangles of all nodes of the scene, converted from meters with Y up to mm with Z up.
 * Buffers are the GLB chunk, data URIs or companions; a missing companion is rejected with its name. Skins,
 * morph targets and animations are ignored. Compressed geometry is rejected: see `loadCompressedGltf`.
 */
export function parseGltf(
  bytes: Uint8Array,
  onProgress: OnProgress | undefined,
  { readCompanion }: ReadOptions,
  decoders: GltfDecoders = {},
): ParsedModel {
  const { isTruncated, ...content } = readGltfDocument(bytes);
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
