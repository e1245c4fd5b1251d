import type { Format } from '../format.js';
import { serializeGlb } from './glb-writer.js';
import { loadCompressedGltf, parseGltf } from './gltf-reader.js';
import { recognizeGlb, recognizeGltf } from './recognize-gltf.js';

/** GLB: glTF 2.0 in one binary file. */
export const GLB: Format = {
  id: 'glb',
  label: 'a GLB file',
  extensions: ['glb'],
  mediaType: 'model/gltf-binary',
  recognizes: recognizeGlb,
  hasUnits: true,
  isFloat32: true,
  hasTranslation: true,
  read: parseGltf,
  loadReader: loadCompressedGltf,
  write: (mesh) => serializeGlb(mesh),
};

/** glTF 2.0 as JSON with data URIs. */
export const GLTF: Format = {
  id: 'gltf',
  label: 'a glTF file',
  extensions: ['gltf'],
  mediaType: 'model/gltf+json',
  recognizes: recognizeGltf,
  hasUnits: true,
  read: parseGltf,
  loadReader: loadCompressedGltf,
};
