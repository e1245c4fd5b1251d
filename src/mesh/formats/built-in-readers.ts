import { parseAmf } from './amf/amf.js';
import type { FormatId } from './format-table.js';
import { parseGltf } from './gltf/gltf.js';
import { parseObj } from './obj/obj.js';
import { parseOff } from './off/off.js';
import type { ModelReader } from './parsed-model.js';
import { parsePly } from './ply/ply.js';
import { parseStl } from './stl/stl.js';
import { parseThreeMf } from './three-mf/three-mf.js';
import { parseVrml, parseX3d } from './x3d/x3d.js';

/** The readers implemented in this package. They are synchronous and need no loading. */
export const BUILT_IN_READERS: Partial<Record<FormatId, ModelReader>> = {
  stl: parseStl,
  obj: parseObj,
  ply: parsePly,
  off: parseOff,
  '3mf': parseThreeMf,
  amf: parseAmf,
  glb: parseGltf,
  gltf: parseGltf,
  wrl: parseVrml,
  x3d: parseX3d,
};
