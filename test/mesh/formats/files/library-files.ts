import { binaryFbxBox } from './binary-fbx.js';
import { lwoBox, threeDsBox } from './binary-scenes.js';
import { BOX_POINTS_Y_UP } from './box.js';
import { brepBox } from './brep.js';
import { dracoBox, meshoptBox } from './compressed-gltf.js';
import { ifcBox } from './ifc.js';
import { igesBox } from './iges.js';
import { LEVELS, lodFbx } from './lod-fbx.js';
import { named, rhinoBox, rhinoFile } from './rhino.js';
import { acBox, acBoxWithKid, aseBox, fbxBox, xBox } from './scenes.js';
import { stepCylinder } from './step.js';
import { tessellatedStep } from './tessellated-step.js';

/** filename → a valid file of each format that a library reads */
export const LIBRARY_FILES: Record<string, () => Buffer | Promise<Buffer>> = {
  'box.step': stepCylinder,
  'tessellated.step': tessellatedStep,
  'box.iges': () => igesBox('mm'),
  'box.brep': brepBox,
  'box.fbx': () => fbxBox({}, BOX_POINTS_Y_UP),
  'binary.fbx': binaryFbxBox,
  'levels.fbx': () => lodFbx(LEVELS, '7, binary'),
  'box.3ds': threeDsBox,
  'box.lwo': lwoBox,
  'box.ac': acBox,
  'kids.ac': acBoxWithKid,
  'box.ase': aseBox,
  'box.x': xBox,
  'box.3dm': () =>
    rhinoFile('Inches', (rhino, file) => {
      file.objects().addMesh(rhinoBox(rhino), named(rhino, 'lid'));
    }),
  'box.ifc': () => ifcBox('metre'),
  'draco.glb': () => dracoBox(),
  'meshopt.glb': () => meshoptBox(),
};
