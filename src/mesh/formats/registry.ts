import { AMF } from './amf/amf.js';
import { AC3D, ASE, DIRECTX, LWO, THREE_DS } from './assimp/assimp.js';
import { COLLADA, ZAE } from './collada/collada.js';
import { FBX } from './fbx/fbx.js';
import type { Format, ModelWriter } from './format.js';
import { GLB, GLTF } from './gltf/gltf.js';
import { IFC } from './ifc/ifc.js';
import { OBJ } from './obj/obj.js';
import { BREP, IGES, STEP } from './occt/occt.js';
import { OFF } from './off/off.js';
import { PLY } from './ply/ply.js';
import { RHINO } from './rhino/rhino.js';
import { STL, STL_ASCII } from './stl/stl.js';
import { THREE_MF } from './three-mf/three-mf.js';
import { VRML, X3D } from './x3d/x3d.js';
import { ZIP } from './zip/zip.js';

/** All formats, in the order in which they are offered. */
export const FORMATS: readonly Format[] = [
  STL,
  STL_ASCII,
  OBJ,
  PLY,
  OFF,
  THREE_MF,
  AMF,
  GLB,
  GLTF,
  VRML,
  X3D,
  STEP,
  IGES,
  BREP,
  RHINO,
  FBX,
  COLLADA,
  ZAE,
  THREE_DS,
  LWO,
  AC3D,
  ASE,
  DIRECTX,
  IFC,
  ZIP,
];

/** A format that can be exported. */
export interface ExportFormat extends Format {
  write: ModelWriter;
}

/** The formats that can be imported. */
export const IMPORT_FORMATS: readonly Format[] = FORMATS.filter(
  ({ read, loadReader, unpack }) => read ?? loadReader ?? unpack,
);

/** The formats that can be exported. */
export const EXPORT_FORMATS: readonly ExportFormat[] = FORMATS.filter(
  (format): format is ExportFormat => format.write !== undefined,
);

/** Returns the format in which a file is read, by its extension, ignoring case. */
export function importFormatOf(filename: string): Format | undefined {
  const extension = /\.([^./\\]+)$/.exec(filename)?.[1]?.toLowerCase();
  return extension === undefined ? undefined : IMPORT_FORMATS.find(({ extensions }) => extensions.includes(extension));
}

/** Returns the export format for an id or an extension, ignoring case and a leading dot. */
export function exportFormatOf(name: string): ExportFormat | undefined {
  const requested = name.trim().replace(/^\./, '').toLowerCase();
  return (
    EXPORT_FORMATS.find(({ id }) => id === requested) ??
    EXPORT_FORMATS.find(({ extensions }) => extensions.includes(requested))
  );
}
