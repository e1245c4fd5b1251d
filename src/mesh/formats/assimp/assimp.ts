import type { Format } from '../format.js';
import { yUpToZUp } from '../reading/affine-transform.js';
import { loadAssimp } from './load-assimp.js';
import { unpackZae } from './zae.js';

const MM_PER_METER = 1000;
const COLLADA_ROOT = /^\s*<[\s\S]*<(?:\w+:)?COLLADA\b/;

/** Collada. */
export const COLLADA: Format = {
  id: 'dae',
  extensions: ['dae'],
  mediaType: 'model/vnd.collada+xml',
  hasUnits: true,
  acceptsContent: () => true,
  loadReader: () =>
    loadAssimp({
      name: 'Collada',
      extension: 'dae',
      signature: COLLADA_ROOT,
      transform: () => yUpToZUp(MM_PER_METER),
    }),
};

/** Collada in a ZIP archive. */
export const ZAE: Format = {
  id: 'zae',
  extensions: ['zae'],
  mediaType: 'application/x-zae',
  hasUnits: true,
  acceptsContent: () => true,
  loadReader: () =>
    loadAssimp({
      name: 'ZAE',
      extension: 'dae',
      signature: COLLADA_ROOT,
      transform: () => yUpToZUp(MM_PER_METER),
      unpack: unpackZae,
    }),
};

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
