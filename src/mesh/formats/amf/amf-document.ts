import { GrowableFloat64Array } from '../../core/growable-float64-array.js';
import type { OnProgress } from '../../core/mesh.js';
import { MeshError } from '../../core/mesh-error.js';
import { readRole } from '../helper-bodies/read-role.js';
import type { VolumeRange } from '../helper-bodies/split-volumes.js';
import type { Loss } from '../reading/losses.js';
import type { ScenePart } from '../reading/scene.js';
import { XmlReader } from '../text/xml-reader.js';

/**
 * An instance in a constellation: scaled and mirrored along the axes, which only slicers write, rotated about x, then y,
 * then z, then translated, in the unit of the file.
 */
export interface AmfInstance {
  id: string;
  scale: number[];
  mirror: number[];
  /** In the unit of angles of the document. */
  rotation: number[];
  translation: number[];
  isPrintable: boolean;
}

/** An object: all its volumes share its vertices. */
export interface AmfObject {
  name: string;
  part: ScenePart;
  /** The volumes of a slicer, which are bodies of their own. Empty for other programs: the object is one body. */
  volumes: VolumeRange[];
}

/** The parsed content of an AMF. */
export interface AmfDocument {
  unitInMm: number;
  objects: Map<string, AmfObject>;
  constellations: Map<string, AmfInstance[]>;
  losses: Set<Loss>;
  /** Whether angles are in radians. The standard requires degrees. */
  hasRadians: boolean;
  /** Whether the file is truncated. */
  isTruncated: boolean;
}

const UNITS: Record<string, number> = {
  millimeter: 1,
  mm: 1,
  inch: 25.4,
  in: 25.4,
  feet: 304.8,
  ft: 304.8,
  meter: 1000,
  m: 1000,
  micron: 0.001,
};
const AXES = ['x', 'y', 'z'];
const CORNERS = ['v1', 'v2', 'v3'];
/** Prefix of the elements of an instance, before the name of an axis → the list of their numbers. */
const INSTANCE_LISTS = [
  ['delta', 'translation'],
  ['r', 'rotation'],
  ['scale', 'scale'],
  ['mirror', 'mirror'],
] as const;
/** Writers whose angles are in radians: Slic3r since version 1.2, and what descends from it. */
const RADIANS_WRITER = /^(?:Slic3r(?! (?:0|1\.[01])\.)|PrusaSlicer|SuperSlicer)/i;

/** Parses the XML of an AMF (ISO/ASTM 52915). Throws `FILE_MALFORMED` if it is not an AMF or its unit is unknown. */
export function readAmfDocument(bytes: Uint8Array, onProgress?: OnProgress): AmfDocument {
  const reader = new XmlReader(bytes);
  const objects: AmfDocument['objects'] = new Map();
  const document: AmfDocument = {
    unitInMm: readRoot(reader),
    objects,
    constellations: new Map(),
    losses: new Set(),
    hasRadians: false,
    isTruncated: false,
  };
  for (let event = reader.next(); event !== 'end'; event = reader.next()) {
    if (event !== 'open') continue;
    const id = reader.attribute('id') ?? '';
    if (reader.name === 'object') objects.set(id, readObject(reader, document, onProgress));
    else if (reader.name === 'metadata') readFileMetadata(reader, document);
    else if (reader.name === 'constellation') document.constellations.set(id, readConstellation(reader));
    else recordLoss(reader, document);
  }
  document.isTruncated = reader.depth > 0;
  return document;
}

function readRoot(reader: XmlReader): number {
  let event = reader.next();
  while (event === 'text') event = reader.next();
  if (event !== 'open' || reader.name.toLowerCase() !== 'amf') {
    throw new MeshError('FILE_MALFORMED', 'Invalid AMF: the root element is not “amf”.');
  }
  const unit = (reader.attribute('unit') ?? 'millimeter').toLowerCase();
  if (Object.hasOwn(UNITS, unit)) return UNITS[unit];
  throw new MeshError('FILE_MALFORMED', `Invalid AMF: unknown unit “${unit.slice(0, 40)}”.`);
}

/** Reads who wrote the file. */
function readFileMetadata(reader: XmlReader, document: AmfDocument): void {
  const type = reader.attribute('type');
  const value = reader.next() === 'text' ? reader.text().trim() : '';
  if (type === 'slic3rpe_amf_version' || (type === 'cad' && RADIANS_WRITER.test(value))) document.hasRadians = true;
}

function recordLoss({ name }: XmlReader, { losses }: AmfDocument): void {
  if (name === 'color') losses.add('COLOURS_DROPPED');
  else if (name === 'material' || name === 'texture' || name === 'texmap') losses.add('MATERIALS_DROPPED');
  else if (name === 'edge' || name === 'normal') losses.add('CURVES_DROPPED');
}

/** Reads an object up to its end. */
function readObject(reader: XmlReader, document: AmfDocument, onProgress?: OnProgress): AmfObject {
  const depth = reader.depth;
  const points = new GrowableFloat64Array();
  const corners = new GrowableFloat64Array();
  const volumes: VolumeRange[] = [];
  let name = '';
  let isOfSlicer = false;
  for (let event = reader.next(); event !== 'end'; event = reader.next()) {
    if (event === 'close' && reader.depth < depth) break;
    if (event !== 'open') continue;
    if (reader.name === 'coordinates') {
      readNumbers(reader, AXES, points);
      if ((points.length & 0x3ffff) < 3) onProgress?.(reader.progress * 0.8);
    } else if (reader.name === 'triangle') readNumbers(reader, CORNERS, corners);
    else if (reader.name === 'volume') {
      const first = corners.length / 3;
      closeVolume(volumes, first);
      volumes.push({ first, last: Number.POSITIVE_INFINITY, name: '', role: undefined });
    } else if (reader.name === 'metadata') {
      const type = reader.attribute('type') ?? '';
      const isOfObject = reader.depth === depth + 1;
      const value = reader.next() === 'text' ? reader.text().trim() : '';
      isOfSlicer ||= type.startsWith('slic3r.');
      if (isOfObject && type === 'name') name = value;
      else if (!isOfObject) describeVolume(volumes.at(-1), type, value);
    } else recordLoss(reader, document);
  }
  closeVolume(volumes, corners.length / 3);
  const part = { points: points.values(), corners: corners.values() };
  return { name, part, volumes: isOfSlicer ? volumes : [] };
}

/** Ends the last volume before the triangle with this index. */
function closeVolume(volumes: readonly VolumeRange[], end: number): void {
  const last = volumes.at(-1);
  if (last) last.last = end - 1;
}

/** Sets the name or the role of a volume. Triangles may precede or follow its metadata. */
function describeVolume(volume: VolumeRange | undefined, type: string, value: string): void {
  if (!volume) return;
  if (type === 'name') volume.name = value;
  else if (type === 'slic3r.volume_type') volume.role = readRole(value);
  else if (type === 'slic3r.modifier' && value === '1') volume.role ??= 'modifier';
}

/**
 * Reads the numbers in three child elements with these names, up to the end of the element just opened. Missing ones
 * are NaN.
 */
function readNumbers(reader: XmlReader, names: readonly string[], target: GrowableFloat64Array): void {
  const depth = reader.depth;
  const coordinates = [Number.NaN, Number.NaN, Number.NaN];
  let index = -1;
  for (let event = reader.next(); event !== 'end'; event = reader.next()) {
    if (event === 'open') index = names.indexOf(reader.name);
    else if (event === 'text') {
      if (index >= 0) coordinates[index] = reader.numberText();
    } else if (reader.depth < depth) {
      for (const value of coordinates) target.push(value);
      return;
    } else index = -1;
  }
}

function readConstellation(reader: XmlReader): AmfInstance[] {
  const depth = reader.depth;
  const instances: AmfInstance[] = [];
  let name = '';
  for (let event = reader.next(); event !== 'end'; event = reader.next()) {
    if (event === 'close' && reader.depth < depth) break;
    if (event === 'open') {
      name = reader.name;
      if (name !== 'instance') continue;
      instances.push({
        id: reader.attribute('objectid') ?? '',
        scale: [1, 1, 1],
        mirror: [1, 1, 1],
        rotation: [0, 0, 0],
        translation: [0, 0, 0],
        isPrintable: true,
      });
    } else if (event === 'text') readInstanceNumber(instances.at(-1), name, reader.numberText());
  }
  return instances;
}

function readInstanceNumber(instance: AmfInstance | undefined, name: string, value: number): void {
  if (!instance) return;
  if (name === 'scale') instance.scale = [value, value, value];
  if (name === 'printable') instance.isPrintable = value !== 0;
  const axis = AXES.indexOf(name.slice(-1));
  const list = INSTANCE_LISTS.find(([prefix]) => name === `${prefix}${AXES[axis]}`)?.[1];
  if (list) instance[list][axis] = value;
}
