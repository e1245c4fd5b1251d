import type { Format } from '../format.js';
import { serializeGlb } from './glb-writer.js';
import { loadCompressedGltf, parseGltf } from './gltf-reader.js';

/** GLB: glTF 2.0 in one binary file. */
export const GLB: Format = {
  id: 'glb',
  extensions: ['glb'],
  mediaType: 'model/gltf-binary',
  hasUnits: true,
  isFloat32: true,
  hasTranslation: true,
  signature: { name: 'a GLB', bytes: [0x67, 0x6c, 0x54, 0x46] },
  acceptsContent: () => true,
  read: parseGltf,
  loadReader: loadCompressedGltf,
  write: (mesh) => serializeGlb(mesh),
};

/** glTF 2.0 as JSON with data URIs. */
export const GLTF: Format = {
  id: 'gltf',
  extensions: ['gltf'],
  mediaType: 'model/gltf+json',
  hasUnits: true,
  acceptsContent: () => true,
  read: parseGltf,
  loadReader: loadCompressedGltf,
};
