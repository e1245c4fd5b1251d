/** Identifiers of the supported formats. `stl` is binary; `stl-ascii` is for export only. */
export type FormatId =
  | 'stl'
  | 'stl-ascii'
  | 'obj'
  | 'ply'
  | 'off'
  | '3mf'
  | 'amf'
  | 'glb'
  | 'gltf'
  | 'wrl'
  | 'x3d'
  | 'step'
  | 'iges'
  | 'brep'
  | '3dm'
  | 'fbx'
  | 'dae'
  | 'zae'
  | '3ds'
  | 'lwo'
  | 'ac'
  | 'ase'
  | 'x'
  | 'ifc';

/** Properties of a format that are available without loading its reader or writer. */
export interface Format {
  id: FormatId;
  /** File extensions in lower case without a dot. The first one is used for new files. */
  extensions: readonly string[];
  mediaType: string;
  canImport: boolean;
  canExport: boolean;
  /** Whether files declare their unit of length. If not, the caller may specify it. */
  hasUnits: boolean;
  /** Whether surfaces may be curved, so that an import accepts `accuracyMm` and `maxAngle`. Default: false. */
  isCurved?: boolean;
  /** The npm package that has to be installed to read the format. Default: none. */
  needsPackage?: string;
}

/** Returns the entry of a format that a library reads and that cannot be written. */
function importOnly(id: FormatId, extensions: readonly string[], mediaType: string, hasUnits: boolean): Format {
  return {
    id,
    extensions,
    mediaType,
    canImport: true,
    canExport: false,
    hasUnits,
  };
}

/** All supported formats. Data only, so that queries about formats load no readers. */
export const FORMATS: readonly Format[] = [
  {
    id: 'stl',
    extensions: ['stl'],
    mediaType: 'model/stl',
    canImport: true,
    canExport: true,
    hasUnits: false,
  },
  {
    id: 'stl-ascii',
    extensions: ['stl'],
    mediaType: 'model/stl',
    canImport: false,
    canExport: true,
    hasUnits: false,
  },
  {
    id: 'obj',
    extensions: ['obj'],
    mediaType: 'model/obj',
    canImport: true,
    canExport: true,
    hasUnits: false,
  },
  {
    id: 'ply',
    extensions: ['ply'],
    mediaType: 'model/ply',
    canImport: true,
    canExport: true,
    hasUnits: false,
  },
  {
    id: 'off',
    extensions: ['off'],
    mediaType: 'model/off',
    canImport: true,
    canExport: true,
    hasUnits: false,
  },
  {
    id: '3mf',
    extensions: ['3mf'],
    mediaType: 'model/3mf',
    canImport: true,
    canExport: true,
    hasUnits: true,
  },
  {
    id: 'amf',
    extensions: ['amf'],
    mediaType: 'application/x-amf',
    canImport: true,
    canExport: true,
    hasUnits: true,
  },
  {
    id: 'glb',
    extensions: ['glb'],
    mediaType: 'model/gltf-binary',
    canImport: true,
    canExport: true,
    hasUnits: true,
  },
  {
    id: 'gltf',
    extensions: ['gltf'],
    mediaType: 'model/gltf+json',
    canImport: true,
    canExport: false,
    hasUnits: true,
  },
  {
    id: 'wrl',
    extensions: ['wrl', 'vrml'],
    mediaType: 'model/vrml',
    canImport: true,
    canExport: false,
    hasUnits: true,
  },
  {
    id: 'x3d',
    extensions: ['x3d'],
    mediaType: 'model/x3d+xml',
    canImport: true,
    canExport: false,
    hasUnits: true,
  },
  { ...importOnly('step', ['step', 'stp'], 'model/step', true), isCurved: true },
  { ...importOnly('iges', ['iges', 'igs'], 'model/iges', true), isCurved: true },
  { ...importOnly('brep', ['brep', 'brp'], 'application/x-brep', false), isCurved: true },
  importOnly('3dm', ['3dm'], 'model/vnd.3dm', true),
  importOnly('fbx', ['fbx'], 'application/x-fbx', true),
  importOnly('dae', ['dae'], 'model/vnd.collada+xml', true),
  importOnly('zae', ['zae'], 'application/x-zae', true),
  importOnly('3ds', ['3ds'], 'application/x-3ds', false),
  importOnly('lwo', ['lwo'], 'application/x-lwo', false),
  importOnly('ac', ['ac', 'ac3d'], 'application/x-ac3d', false),
  importOnly('ase', ['ase'], 'application/x-ase', false),
  importOnly('x', ['x'], 'application/x-directx', false),
  { ...importOnly('ifc', ['ifc'], 'application/x-step', true), needsPackage: 'web-ifc' },
];

/** Returns the format of a file by its extension, ignoring case. */
export function importFormatOf(filename: string): FormatId | undefined {
  const extension = /\.([^./\\]+)$/.exec(filename)?.[1]?.toLowerCase();
  if (extension === undefined) return undefined;
  return FORMATS.find((format) => format.canImport && format.extensions.includes(extension))?.id;
}

/** Returns the export format for an id of `FORMATS` or an extension, ignoring case and a leading dot. */
export function exportFormatOf(name: string): FormatId | undefined {
  const requested = name.trim().replace(/^\./, '').toLowerCase();
  const writable = FORMATS.filter((format) => format.canExport);
  return (
    writable.find(({ id }) => id === requested) ?? writable.find(({ extensions }) => extensions.includes(requested))
  )?.id;
}
