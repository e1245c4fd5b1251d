import type { Format } from '../format.js';
import { loadAssimp } from './load-assimp.js';

/** 3D Studio. */
export const THREE_DS: Format = {
  id: '3ds',
  extensions: ['3ds'],
  mediaType: 'application/x-3ds',
  hasUnits: false,
  loadReader: () => loadAssimp({ name: '3DS', extension: '3ds', signature: /^MM/ }),
};

/** LightWave objects. */
export const LWO: Format = {
  id: 'lwo',
  extensions: ['lwo'],
  mediaType: 'application/x-lwo',
  hasUnits: false,
  loadReader: () =>
    loadAssimp({
      name: 'LWO',
      extension: 'lwo',
      signature: /^FORM[\s\S]{4}LWO[2B]/,
    }),
};

/** AC3D. */
export const AC3D: Format = {
  id: 'ac',
  extensions: ['ac', 'ac3d'],
  mediaType: 'application/x-ac3d',
  hasUnits: false,
  loadReader: () => loadAssimp({ name: 'AC3D', extension: 'ac', signature: /^AC3D/ }),
};

/** ASCII scenes of 3ds Max. */
export const ASE: Format = {
  id: 'ase',
  extensions: ['ase'],
  mediaType: 'application/x-ase',
  hasUnits: false,
  loadReader: () =>
    loadAssimp({
      name: 'ASE',
      extension: 'ase',
      signature: /^\s*\*3DSMAX_ASCIIEXPORT/i,
    }),
};

/** DirectX X. */
export const DIRECTX: Format = {
  id: 'x',
  extensions: ['x'],
  mediaType: 'application/x-directx',
  hasUnits: false,
  loadReader: () => loadAssimp({ name: 'DirectX X', extension: 'x', signature: /^xof / }),
};
