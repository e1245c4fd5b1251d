import { MeshError } from '../../core/mesh-error.js';
import type { XmlReader } from '../text/xml-reader.js';

/** An extension of 3MF: what it is called, and the prefix that files use. */
interface Extension {
  name: string;
  prefix: string;
  /** Whether files that require it are read: their triangles are the model, or warnings say what is missing. */
  isRead?: true;
}

/** The path of the namespace after `3dmanufacturing/`, without its date → extension. */
const EXTENSIONS: Readonly<Record<string, Extension>> = {
  core: { name: 'core', prefix: '', isRead: true },
  production: { name: 'production', prefix: 'p', isRead: true },
  'production/alternatives': { name: 'alternatives', prefix: 'pa' },
  material: { name: 'materials and properties', prefix: 'm', isRead: true },
  slice: { name: 'slice', prefix: 's', isRead: true },
  beamlattice: { name: 'beam lattice', prefix: 'b', isRead: true },
  'beamlattice/balls': { name: 'beam lattice balls', prefix: 'b2', isRead: true },
  trianglesets: { name: 'triangle sets', prefix: 't', isRead: true },
  securecontent: { name: 'secure content', prefix: 'sc' },
  booleanoperations: { name: 'boolean operations', prefix: 'bo' },
  volumetric: { name: 'volumetric', prefix: 'v' },
  implicit: { name: 'implicit', prefix: 'i' },
  displacement: { name: 'displacement', prefix: 'd' },
};

/** The namespaces of slicers have settings and painting. */
const SLICER_NAMESPACE = /^https?:\/\/(?:schemas\.slic3r\.org|schemas\.bambulab\.com|software\.ultimaker\.com)\//i;

/** Element that replaces the triangles of an object → its extension, for files that do not say that they require it. */
const SHAPES: Readonly<Record<string, string>> = {
  booleanshape: 'booleanoperations',
  levelset: 'volumetric',
  displacementmesh: 'displacement',
};

/**
 * Throws `EXTENSION_UNSUPPORTED` if the model element just opened requires an extension that is not read, with its name:
 * without it, the model would be another one. `FILE_ENCRYPTED` for secure content.
 */
export function assertExtensions(reader: XmlReader): void {
  const prefixes = (reader.attribute('requiredextensions') ?? '').split(/\s+/).filter((prefix) => prefix !== '');
  for (const prefix of prefixes) {
    const namespace = reader.attribute(prefix);
    const extension = namespace === undefined ? findByPrefix(prefix) : findByNamespace(namespace);
    if (extension?.isRead || (namespace !== undefined && SLICER_NAMESPACE.test(namespace))) continue;
    throw unsupportedError(extension?.name ?? namespace ?? prefix);
  }
}

/** Throws `EXTENSION_UNSUPPORTED` if the element just opened is the shape of an object in an extension that is not read. */
export function assertShape(name: string): void {
  if (Object.hasOwn(SHAPES, name)) throw unsupportedError(EXTENSIONS[SHAPES[name]].name);
}

function findByNamespace(namespace: string): Extension | undefined {
  const path = /\/3dmanufacturing\/([a-z/]+?)(?:\/\d.*)?$/i.exec(namespace)?.[1]?.toLowerCase() ?? '';
  return Object.hasOwn(EXTENSIONS, path) ? EXTENSIONS[path] : undefined;
}

/** Returns the extension of a prefix that the file does not declare. */
function findByPrefix(prefix: string): Extension | undefined {
  return Object.values(EXTENSIONS).find((extension) => extension.prefix === prefix);
}

function unsupportedError(name: string): MeshError {
  if (name === EXTENSIONS.securecontent.name)
    return new MeshError(
      'FILE_ENCRYPTED',
      `Could not read the 3MF: it requires the extension “${name}”. Save it without encryption.`,
    );
  const message = `Could not read the 3MF: it requires the extension “${name.slice(0, 120)}”, which is not supported. Save the model as triangles only.`;
  return new MeshError('EXTENSION_UNSUPPORTED', message);
}
