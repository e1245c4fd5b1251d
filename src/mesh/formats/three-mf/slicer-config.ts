import type { HelperRole, SlicerFamily } from '../../core/mesh.js';
import { MeshError } from '../../core/mesh-error.js';
import { readRole } from '../helper-bodies/read-role.js';
import { XmlReader } from '../text/xml-reader.js';
import type { ZipArchive } from '../zip/zip-reader.js';

/** A volume of an object: a range of the triangles of its mesh, or one of its components. */
export interface SlicerVolume {
  /** The id of the object that the component references. */
  id: string;
  /** The indices of its first and last triangle. Absent for a component. */
  range?: { first: number; last: number };
  name: string;
  role: HelperRole | undefined;
}

/** An object of a slicer's list: its name and its volumes. */
export interface SlicerObject {
  name: string;
  volumes: SlicerVolume[];
}

/** A plate of a project. */
export interface SlicerPlate {
  number: number;
  name: string;
  /** The instances on it: the id of an object and the index of the instance, with a slash between. */
  instances: Set<string>;
}

/** What a slicer stores beside the model: the roles and names of the bodies of each object, and the plates. */
export interface SlicerConfig {
  family: SlicerFamily;
  /** The id of an object of the root model → its entry. */
  objects: Map<string, SlicerObject>;
  plates: SlicerPlate[];
  /** The paths of files that are damaged; what precedes the damage was read. */
  damagedPaths: string[];
}

const PATHS: readonly { path: string; family: SlicerFamily }[] = [
  { path: 'Metadata/Slic3r_PE_model.config', family: 'prusa' },
  { path: 'Metadata/model_settings.config', family: 'bambu' },
];

/** Reads the list of bodies and plates of a slicer. Damaged XML is read as far as possible. */
export function readSlicerConfig(archive: ZipArchive): SlicerConfig {
  const config: SlicerConfig = { family: 'prusa', objects: new Map(), plates: [], damagedPaths: [] };
  for (const { path, family } of PATHS) {
    try {
      const content = archive.read(path);
      if (!content) continue;
      config.family = family;
      if (!readConfigFile(content, config)) config.damagedPaths.push(path);
    } catch (error) {
      if (!(error instanceof MeshError)) throw error;
      config.damagedPaths.push(path);
    }
  }
  return config;
}

/** The elements that are open. */
interface OpenElements {
  object?: SlicerObject | undefined;
  volume?: SlicerVolume | undefined;
  plate?: SlicerPlate | undefined;
  instance?: { objectId: string; index: string } | undefined;
}

/** Reads one file. Returns whether it is complete. */
function readConfigFile(content: Uint8Array, config: SlicerConfig): boolean {
  const reader = new XmlReader(content);
  const open: OpenElements = {};
  let hasRoot = false;
  for (let event = reader.next(); event !== 'end'; event = reader.next()) {
    if (event === 'open') {
      hasRoot = true;
      openElement(reader, open, config);
    } else if (event === 'close') closeElement(reader.name, open);
  }
  return hasRoot && reader.depth === 0;
}

function openElement(reader: XmlReader, open: OpenElements, config: SlicerConfig): void {
  const { name } = reader;
  if (name === 'object') {
    open.object = { name: '', volumes: [] };
    config.objects.set(reader.attribute('id') ?? '', open.object);
  } else if ((name === 'volume' || name === 'part') && open.object) {
    open.volume = readVolume(reader);
    open.object.volumes.push(open.volume);
  } else if (name === 'plate') {
    open.plate = { number: config.plates.length + 1, name: '', instances: new Set() };
    config.plates.push(open.plate);
  } else if (name === 'model_instance') open.instance = { objectId: '', index: '0' };
  else if (name === 'metadata') readMetadata(reader, open);
}

function closeElement(name: string, open: OpenElements): void {
  if (name === 'object') open.object = undefined;
  else if (name === 'volume' || name === 'part') open.volume = undefined;
  else if (name === 'plate') open.plate = undefined;
  else if (name === 'model_instance') {
    if (open.instance) open.plate?.instances.add(`${open.instance.objectId}/${open.instance.index}`);
    open.instance = undefined;
  }
}

function readVolume(reader: XmlReader): SlicerVolume {
  const [first, last] = [reader.numberAttribute('firstid'), reader.numberAttribute('lastid')];
  const isRange = Number.isInteger(first) && Number.isInteger(last);
  return {
    id: reader.attribute('id') ?? '',
    ...(isRange && { range: { first, last } }),
    name: '',
    role: readRole(reader.attribute('subtype') ?? ''),
  };
}

function readMetadata(reader: XmlReader, { object, volume, plate, instance }: OpenElements): void {
  const key = reader.attribute('key');
  const value = reader.attribute('value') ?? '';
  if (instance) {
    if (key === 'object_id') instance.objectId = value.trim();
    else if (key === 'instance_id') instance.index = value.trim();
  } else if (plate) {
    if (key === 'plater_id' && /^\d{1,6}$/.test(value.trim())) plate.number = Number(value);
    else if (key === 'plater_name') plate.name = value.trim();
  } else if (volume) {
    if (key === 'name') volume.name = value.trim();
    else if (key === 'volume_type') volume.role = readRole(value);
    else if (key === 'modifier' && value === '1') volume.role ??= 'modifier';
  } else if (object && key === 'name') object.name = value.trim();
}
