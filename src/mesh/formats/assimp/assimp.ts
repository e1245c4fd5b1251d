import type { Format } from '../format.js';
import { loadAssimp } from './load-assimp.js';
import { recognizeThreeDs } from './recognize-3ds.js';

/** 3D Studio. */
export const THREE_DS: Format = {
  id: '3ds',
  label: 'a 3DS file',
  extensions: ['3ds'],
  mediaType: 'application/x-3ds',
  recognizes: recognizeThreeDs,
  hasUnits: false,
  loadReader: () => loadAssimp({ name: '3DS', extension: '3ds', signature: /^MM/ }),
};

/** LightWave objects. */
export const LWO: Format = {
  id: 'lwo',
  label: 'a LightWave file',
  extensions: ['lwo'],
  mediaType: 'application/x-lwo',
  recognizes: ({ start }) => /^FORM[\s\S]{4}LWO[2B]/.test(start),
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
  label: 'an AC3D file',
  extensions: ['ac', 'ac3d'],
  mediaType: 'application/x-ac3d',
  recognizes: ({ start }) => /^AC3D[0-9a-z]\s/.test(start),
  hasUnits: false,
  loadReader: () => loadAssimp({ name: 'AC3D', extension: 'ac', signature: /^AC3D/ }),
};

/** ASCII scenes of 3ds Max. */
export const ASE: Format = {
  id: 'ase',
  label: 'an ASE file',
  extensions: ['ase'],
  mediaType: 'application/x-ase',
  recognizes: ({ start }) => /^\*3DSMAX_ASCIIEXPORT/i.test(start),
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
  label: 'a DirectX file',
  extensions: ['x'],
  mediaType: 'application/x-directx',
  recognizes: ({ start }) => /^xof \d{4}(?:txt|bin|tzip|bzip)/.test(start),
  hasUnits: false,
  loadReader: () => loadAssimp({ name: 'DirectX X', extension: 'x', signature: /^xof / }),
};
