import { loadAssimp } from '../assimp/assimp.js';
import type { FormatId } from '../format-table.js';
import { loadIfc } from '../ifc/ifc.js';
import { loadOcct } from '../occt/occt.js';
import type { ModelReader } from '../parsed-model.js';
import { loadRhino } from '../rhino/rhino.js';
import { loadCompressedGltf } from './compressed-gltf.js';

/**
 * Loaders of readers that are libraries or need one. Each is loaded only for a file that requires it. `undefined` for a
 * file that the built-in reader parses alone.
 */
export const LIBRARY_READERS: Partial<Record<FormatId, (bytes: Uint8Array) => Promise<ModelReader> | undefined>> = {
  glb: loadCompressedGltf,
  gltf: loadCompressedGltf,
  step: () => loadOcct('STEP'),
  iges: () => loadOcct('IGES'),
  brep: () => loadOcct('BREP'),
  fbx: () => loadAssimp('FBX'),
  dae: () => loadAssimp('Collada'),
  zae: () => loadAssimp('ZAE'),
  '3ds': () => loadAssimp('3DS'),
  lwo: () => loadAssimp('LWO'),
  ac: () => loadAssimp('AC3D'),
  ase: () => loadAssimp('ASE'),
  x: () => loadAssimp('DirectX X'),
  '3dm': loadRhino,
  ifc: loadIfc,
};
