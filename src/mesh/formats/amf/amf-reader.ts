import type { ReportWarning } from '../../analysis/report.js';
import type { OnProgress } from '../../core/mesh.js';
import { MeshError } from '../../core/mesh-error.js';
import type { ParsedModel, ReadOptions } from '../format.js';
import { type Body, BodyPlacer } from '../helper-bodies/body-placer.js';
import { splitVolumes } from '../helper-bodies/split-volumes.js';
import {
  type AffineTransform,
  compose,
  fromEulerAngles,
  IDENTITY,
  scale,
  scaling,
} from '../reading/affine-transform.js';
import { createLossWarnings, missingObjectsWarning } from '../reading/losses.js';
import { SceneBuilder } from '../reading/scene.js';
import { ZipArchive } from '../zip/zip-reader.js';
import { type AmfDocument, type AmfInstance, type AmfObject, readAmfDocument } from './amf-document.js';

const MAX_DEPTH = 32;

/**
 * Parses an AMF, plain or zipped: the volumes of all objects, placed by constellations. Positions are converted to mm
 * from the unit of the file (default: millimeters). Curved edges are read as straight. Reads the complete elements of a
 * truncated file.
 */
export function parseAmf(bytes: Uint8Array, onProgress: OnProgress | undefined, options: ReadOptions): ParsedModel {
  const document = readAmfDocument(unpack(bytes), onProgress);
  const scene = new SceneBuilder();
  const placer = new BodyPlacer(scene, options);
  const missingCount = placeInstances(document, scene, placer);
  const { mesh, helpers, warnings } = scene.toMesh();
  const documentWarnings: ReportWarning[] = [];
  if (document.isTruncated)
    documentWarnings.push({ code: 'TRUNCATED', message: 'The file is truncated; only complete elements were read.' });
  documentWarnings.push(...missingObjectsWarning(missingCount));
  documentWarnings.push(...placer.createWarnings());
  return {
    mesh,
    ...(helpers && { helpers: { ...helpers, slicer: 'prusa' } }),
    reasons: placer.listReasons(),
    warnings: [...documentWarnings, ...warnings, ...createLossWarnings(document.losses)],
  };
}

/** Returns the XML: of a ZIP, its first `.amf` entry. */
function unpack(bytes: Uint8Array): Uint8Array {
  if (bytes[0] !== 0x50 || bytes[1] !== 0x4b) return bytes;
  const archive = new ZipArchive(bytes);
  const name = archive.names.find((entry) => entry.toLowerCase().endsWith('.amf'));
  const content = name === undefined ? undefined : archive.read(name);
  if (!content) throw new MeshError('FILE_MALFORMED', 'Invalid AMF: the archive has no .amf entry.');
  return content;
}

interface Visit {
  id: string;
  transform: AffineTransform;
  depth: number;
}

/**
 * Places all roots, which no constellation references, and their instances, with an explicit stack. Returns the number
 * of unresolved references.
 */
function placeInstances(
  { unitInMm, objects, constellations, hasRadians }: AmfDocument,
  scene: SceneBuilder,
  placer: BodyPlacer,
): number {
  const rootTransform = scaling(unitInMm);
  const referencedIds = new Set([...constellations.values()].flatMap((instances) => instances.map(({ id }) => id)));
  const roots = [...objects.keys(), ...constellations.keys()].filter((id) => !referencedIds.has(id));
  if (roots.length === 0 && objects.size > 0) {
    throw new MeshError('FILE_MALFORMED', 'Invalid AMF: the constellations are cyclic.');
  }
  const visits: Visit[] = roots.map((id) => ({ id, transform: rootTransform, depth: 1 })).reverse();
  let missingCount = 0;
  for (let visit = visits.pop(); visit; visit = visits.pop()) {
    scene.countInstance();
    const { id, transform, depth } = visit;
    if (depth > MAX_DEPTH) {
      throw new MeshError('FILE_MALFORMED', `Invalid AMF: constellations nest deeper than ${MAX_DEPTH}.`);
    }
    const object = objects.get(id);
    if (object) placer.placeObject(id, listBodies(object), transform);
    const instances = constellations.get(id) ?? [];
    if (!object && !constellations.has(id)) missingCount++;
    for (const instance of instances.toReversed()) {
      if (!instance.isPrintable) {
        placer.recordUnprintable(objects.get(instance.id)?.name ?? '');
        continue;
      }
      const inner = compose(transform, toTransform(instance, hasRadians));
      visits.push({ id: instance.id, transform: inner, depth: depth + 1 });
    }
  }
  return missingCount;
}

function listBodies({ part, name, volumes }: AmfObject): Body[] {
  return splitVolumes({ part, transform: IDENTITY, name }, volumes);
}

function toTransform(
  { scale: factors, mirror, rotation, translation }: AmfInstance,
  hasRadians: boolean,
): AffineTransform {
  const [rx, ry, rz] = rotation.map((angle) => (hasRadians ? (angle * 180) / Math.PI : angle));
  const placement = fromEulerAngles([rx, ry, rz], translation);
  const lengths = factors.map((factor, axis) => factor * mirror[axis]);
  return lengths.every((length) => length === 1) ? placement : compose(placement, scale(lengths));
}
