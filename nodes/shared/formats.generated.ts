// Generated from src/mesh/formats/registry.ts: change the formats, then run `npm run generate`.

/** The extensions of the formats that declare the unit of their coordinates. */
export const EXTENSIONS_WITH_UNITS: readonly string[] = [
  '3mf',
  'amf',
  'glb',
  'gltf',
  'wrl',
  'vrml',
  'x3d',
  'step',
  'stp',
  'iges',
  'igs',
  '3dm',
  'fbx',
  'dae',
  'zae',
  'ifc',
];
