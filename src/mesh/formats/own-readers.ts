import { parseAmf } from './amf.js';
import { parseGltf } from './gltf.js';
import type { ModelReader } from './model-file.js';
import { parseObj } from './obj.js';
import { parseOff } from './off.js';
import { parsePly } from './ply.js';
import { parseStl } from './stl.js';
import type { FormatId } from './table.js';
import { parseThreeMf } from './three-mf.js';
import { parseVrml, parseX3d } from './x3d.js';

/** The readers that are our own code: there at once, and they end before they return. */
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
