import type { Format } from '../format.js';
import { groupAc3dTransforms } from './ac3d-transforms.js';
import { loadAssimp } from './load-assimp.js';
import { recognizeThreeDs } from './recognize-3ds.js';

// Dialects that are accepted, and what writes them:
//
// | format | dialect                                                         | written by                        |
// | ------ | --------------------------------------------------------------- | --------------------------------- |
// | 3DS    | meshes in world coordinates, as in 3D Studio                    | 3ds Max, Blender, SketchUp        |
// | LWO    | `LWO2` of LightWave 6 and later, `LWOB` before                  | LightWave, Modo                   |
// | AC3D   | `loc` and `rot` of objects and groups, kids, `subdiv`           | AC3D, Blender; FlightGear, TORCS  |
// | ASE    | geometry of `GEOMOBJECT`                                        | 3ds Max                           |
// | X      | text, binary and compressed                                     | DirectX SDK, 3ds Max, Blender     |
//
// There is no other reader of these formats here. `rot` is a matrix that is written row by row and applied to columns, as
// in OpenSceneGraph; plib takes it for its transpose.

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
  loadReader: () => loadAssimp({ name: 'AC3D', extension: 'ac', signature: /^AC3D/, prepare: groupAc3dTransforms }),
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
