import type { ReportWarning } from '../../analysis/report.js';
import type { OnProgress } from '../../core/mesh.js';
import { MeshError } from '../../core/mesh-error.js';
import { pluralize } from '../../core/pluralize.js';
import { type AffineTransform, compose, fromEulerAngles, scaling } from '../affine-transform.js';
import { createLossWarnings } from '../losses.js';
import type { ParsedModel } from '../parsed-model.js';
import { SceneBuilder } from '../scene.js';
import { ZipArchive } from '../zip/zip-reader.js';
import { type AmfDocument, type AmfInstance, readAmfDocument } from './amf-document.js';

const MAX_DEPTH = 32;

/**
 * Reads an AMF, plain or zipped: the volumes of all objects, placed where constellations place them. Positions are in mm by the
 * unit that the file names (millimetres where it names none). Curved edges are read as straight ones. A file that ends early keeps
 * what is whole.
 */
export function parseAmf(bytes: Uint8Array, onProgress?: OnProgress): ParsedModel {
  const document = readAmfDocument(unpack(bytes), onProgress);
  const scene = new SceneBuilder();
  const missingCount = placeInstances(document, scene);
  const { mesh, warnings } = scene.toMesh();
  const documentWarnings: ReportWarning[] = [];
  if (document.isTruncated)
    documentWarnings.push({ code: 'TRUNCATED', message: 'The file breaks off: what was whole was read' });
  if (missingCount > 0) {
    const message = `${pluralize(missingCount, 'thing is', 'things are')} placed that the file does not hold: left out`;
    documentWarnings.push({ code: 'OBJECTS_MISSING', message });
  }
  return { mesh, warnings: [...documentWarnings, ...warnings, ...createLossWarnings(document.losses)] };
}

/** The XML itself: a ZIP holds it as its first `.amf`. */
function unpack(bytes: Uint8Array): Uint8Array {
  if (bytes[0] !== 0x50 || bytes[1] !== 0x4b) return bytes;
  const archive = new ZipArchive(bytes);
  const name = archive.names.find((entry) => entry.toLowerCase().endsWith('.amf'));
  const content = name === undefined ? undefined : archive.read(name);
  if (!content) throw new MeshError('FILE_MALFORMED', 'This zipped AMF holds no .amf');
  return content;
}

interface Visit {
  id: string;
  transform: AffineTransform;
  depth: number;
}

/** Places what no constellation names, and what is in it, by an explicit stack. Answers how many references lead nowhere. */
function placeInstances({ unitInMm, objects, constellations }: AmfDocument, scene: SceneBuilder): number {
  const base = scaling(unitInMm);
  const placed = new Set([...constellations.values()].flatMap((instances) => instances.map(({ id }) => id)));
  const roots = [...objects.keys(), ...constellations.keys()].filter((id) => !placed.has(id));
  if (roots.length === 0 && objects.size > 0) {
    throw new MeshError('FILE_MALFORMED', 'This is no sound AMF: its constellations contain themselves');
  }
  const visits: Visit[] = roots.map((id) => ({ id, transform: base, depth: 1 })).reverse();
  let missingCount = 0;
  for (let visit = visits.pop(); visit; visit = visits.pop()) {
    scene.countInstance();
    const { id, transform, depth } = visit;
    if (depth > MAX_DEPTH) {
      throw new MeshError('FILE_MALFORMED', `This is no sound AMF: constellations nest deeper than ${MAX_DEPTH}`);
    }
    const object = objects.get(id);
    if (object) scene.place(object.part, transform, object.name);
    const instances = constellations.get(id) ?? [];
    if (!object && !constellations.has(id)) missingCount++;
    for (const instance of instances.toReversed()) {
      const inner = compose(transform, transformOf(instance));
      visits.push({ id: instance.id, transform: inner, depth: depth + 1 });
    }
  }
  return missingCount;
}

const transformOf = ({ rotationDegrees, translation }: AmfInstance): AffineTransform =>
  fromEulerAngles(rotationDegrees, translation);
