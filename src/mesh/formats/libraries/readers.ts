import type { FormatId } from '../format-table.js';
import type { ModelReader } from '../parsed-model.js';
import { loadAssimp } from './assimp.js';
import { loadCompressedGltf } from './compressed-gltf.js';
import { loadIfc } from './ifc.js';
import { loadOcct } from './occt.js';
import { loadRhino } from './rhino.js';

/**
 * What makes the readers ready that are libraries, or need one: each is loaded for a file that asks for it, and never before. `undefined` for a
 * file that our own reader reads alone.
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
