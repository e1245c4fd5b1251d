import type { ReadModel } from '../model-file.js';
import type { FormatId } from '../table.js';
import { loadAssimp } from './assimp.js';
import { loadIfc } from './ifc.js';
import { loadOcct } from './occt.js';
import { loadRhino } from './rhino.js';

/** What makes the readers ready that are libraries: each is loaded when it is asked for, and never before. */
export const LIBRARY_READERS: Partial<Record<FormatId, () => Promise<ReadModel>>> = {
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
