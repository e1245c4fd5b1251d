import type { Format } from '../format.js';
import { groupAc3dTransforms } from './ac3d-transforms.js';
import { loadAssimp } from './load-assimp.js';

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
  loadReader: () => loadAssimp({ name: 'AC3D', extension: 'ac', signature: /^AC3D/, prepare: groupAc3dTransforms }),
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
