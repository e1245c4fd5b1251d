import { GrowableFloat64Array } from '../../core/growable-float64-array.js';
import type { OnProgress } from '../../core/mesh.js';
import { MeshError } from '../../core/mesh-error.js';
import { type AffineTransform, IDENTITY, parseTransform } from '../reading/affine-transform.js';
import type { Loss } from '../reading/losses.js';
import type { ScenePart } from '../reading/scene.js';
import { XmlReader } from '../text/xml-reader.js';
import { XmlRow } from '../text/xml-row.js';
import { assertExtensions, assertShape } from './required-extensions.js';

/** A reference to an object of the same or another model part, with a transform. */
export interface ThreeMfReference {
  objectId: string;
  /** The path of the model part with the object, if it is another one (production extension). */
  path: string | undefined;
  transform: AffineTransform;
}

/** An item of the build. */
export interface ThreeMfItem extends ThreeMfReference {
  isPrintable: boolean;
}

/** An object: a mesh, or a composition of components. */
export interface ThreeMfObject {
  name: string;
  /** Its purpose: `model`, `surface`, `support`, `solidsupport` or `other`. */
  type: string;
  part: ScenePart | undefined;
  components: ThreeMfReference[];
}

/** A model part of a 3MF package. */
export interface ThreeMfModel {
  unitInMm: number;
  objects: Map<string, ThreeMfObject>;
  items: ThreeMfItem[];
  losses: Set<Loss>;
}

const UNITS: Record<string, number> = {
  micron: 0.001,
  millimeter: 1,
  centimeter: 10,
  inch: 25.4,
  foot: 304.8,
  meter: 1000,
};

const LOSSES: Record<string, Loss> = {
  basematerials: 'MATERIALS_DROPPED',
  texture2d: 'MATERIALS_DROPPED',
  texture2dgroup: 'MATERIALS_DROPPED',
  compositematerials: 'MATERIALS_DROPPED',
  colorgroup: 'COLOURS_DROPPED',
  beamlattice: 'BEAMS_DROPPED',
  slicestack: 'SLICES_DROPPED',
};

/** The attributes of painted triangles: of PrusaSlicer, then of Bambu Studio and OrcaSlicer. */
const PAINTING = new Set([
  'mmu_segmentation',
  'custom_supports',
  'custom_seam',
  'fuzzy_skin',
  'paint_color',
  'paint_supports',
  'paint_seam',
  'paint_fuzzy_skin',
]);
/** The length of the shortest one. Those of other triangles are shorter. */
const MIN_PAINTING_LENGTH = 10;

const VERTEX = new XmlRow('vertex', ['x', 'y', 'z']);
const TRIANGLE = new XmlRow('triangle', ['v1', 'v2', 'v3']);

/**
 * Parses a model part (3MF Core Specification): unit, objects and build items. Throws `FILE_MALFORMED` if it is not a
 * model part or its unit is unknown, and the errors of `assertExtensions`.
 */
export function readThreeMfModel(bytes: Uint8Array, onProgress?: OnProgress): ThreeMfModel {
  const reader = new XmlReader(bytes);
  const model: ThreeMfModel = { unitInMm: 1, objects: new Map(), items: [], losses: new Set() };
  for (let event = reader.next(); event !== 'end'; event = reader.next()) {
    if (event !== 'open') continue;
    if (reader.depth === 1) model.unitInMm = readRoot(reader);
    else if (reader.name === 'object') readObject(reader, model, onProgress);
    else if (reader.name === 'item') model.items.push(readItem(reader));
    else recordLoss(reader, model);
  }
  if (reader.depth > 0) throw new MeshError('FILE_MALFORMED', 'Invalid 3MF: the model is truncated.');
  return model;
}

function readRoot(reader: XmlReader): number {
  if (reader.name !== 'model') {
    throw new MeshError(
      'FILE_MALFORMED',
      `Invalid 3MF: the root element of the model is “${reader.name.slice(0, 40)}”.`,
    );
  }
  assertExtensions(reader);
  const unit = reader.attribute('unit') ?? 'millimeter';
  if (Object.hasOwn(UNITS, unit)) return UNITS[unit];
  throw new MeshError('FILE_MALFORMED', `Invalid 3MF: unknown unit “${unit.slice(0, 40)}”.`);
}

function recordLoss(reader: XmlReader, model: ThreeMfModel): void {
  assertShape(reader.name);
  if (Object.hasOwn(LOSSES, reader.name)) model.losses.add(LOSSES[reader.name]);
}

function readReference(reader: XmlReader): ThreeMfReference {
  const text = reader.attribute('transform');
  const transform = text === undefined ? IDENTITY : parseTransform(text);
  if (!transform) throw new MeshError('FILE_MALFORMED', 'Invalid 3MF: a transform does not have twelve numbers.');
  return { objectId: reader.attribute('objectid') ?? '', path: reader.attribute('path'), transform };
}

function readItem(reader: XmlReader): ThreeMfItem {
  return { ...readReference(reader), isPrintable: !['0', 'false'].includes(reader.attribute('printable') ?? '1') };
}

function readObject(reader: XmlReader, model: ThreeMfModel, onProgress?: OnProgress): void {
  const depth = reader.depth;
  const id = reader.attribute('id') ?? '';
  const object: ThreeMfObject = {
    name: reader.attribute('name') ?? '',
    type: reader.attribute('type') ?? 'model',
    part: undefined,
    components: [],
  };
  const points = new GrowableFloat64Array();
  const corners = new GrowableFloat64Array();
  for (;;) {
    readRows(reader, points, corners, onProgress);
    const event = reader.next();
    if (event === 'end' || (event === 'close' && reader.depth < depth)) break;
    if (event !== 'open') continue;
    if (reader.name === 'vertex') {
      points.push(reader.numberAttribute('x'));
      points.push(reader.numberAttribute('y'));
      points.push(reader.numberAttribute('z'));
    } else if (reader.name === 'triangle') {
      corners.push(reader.numberAttribute('v1'));
      corners.push(reader.numberAttribute('v2'));
      corners.push(reader.numberAttribute('v3'));
      if (!model.losses.has('PAINTING_DROPPED') && isPainted(reader)) model.losses.add('PAINTING_DROPPED');
    } else if (reader.name === 'component') object.components.push(readReference(reader));
    else recordLoss(reader, model);
  }
  if (corners.length > 0) object.part = { points: points.values(), corners: corners.values() };
  model.objects.set(id, object);
}

/** Returns whether the triangle just opened is painted. A zero alone stands for a triangle that is not. */
function isPainted(reader: XmlReader): boolean {
  const names = reader.listLongNames(MIN_PAINTING_LENGTH);
  return names.some((name) => PAINTING.has(name) && /[1-9a-f]/i.test(reader.attribute(name) ?? ''));
}

/** Reads vertices and triangles in the common form, up to the first other element or form. */
function readRows(
  reader: XmlReader,
  points: GrowableFloat64Array,
  corners: GrowableFloat64Array,
  onProgress?: OnProgress,
): void {
  const row = new Float64Array(3);
  for (let count = 1; ; count++) {
    if (reader.acceptRow(VERTEX, row)) points.pushAll(row);
    else if (reader.acceptRow(TRIANGLE, row)) corners.pushAll(row);
    else return;
    if ((count & 0xffff) === 0) onProgress?.(reader.progress);
  }
}
