import type { ReportWarning } from '../../analysis/report.js';
import type { OnProgress } from '../../core/mesh.js';
import { MeshError } from '../../core/mesh-error.js';
import { pluralize } from '../../core/pluralize.js';
import { type AffineTransform, compose, scaling } from '../affine-transform.js';
import { createLossWarnings, type Loss } from '../losses.js';
import type { ParsedModel } from '../parsed-model.js';
import { SceneBuilder } from '../scene.js';
import { XmlReader } from '../text/xml-reader.js';
import { ZipArchive } from '../zip/zip-reader.js';
import { readThreeMfModel, type ThreeMfModel, type ThreeMfReference } from './three-mf-model.js';

const DEEPEST = 32;
const MODEL_RELATION = '/3dmodel';

interface Visit {
  reference: ThreeMfReference;
  /** The part of the package that the reference stands in. */
  path: string;
  transform: AffineTransform;
  name: string;
  depth: number;
}

/**
 * Reads a 3MF: what its build places, components and the production extension's other parts of the package included. Positions are
 * in mm by the unit that the file names. Objects have the name of the triangles' own object, else of the one that composes it.
 */
export function parseThreeMf(bytes: Uint8Array, onProgress?: OnProgress): ParsedModel {
  const archive = new ZipArchive(bytes);
  const root = rootPath(archive);
  const models = new Map<string, ThreeMfModel | undefined>();
  const modelAt = (path: string): ThreeMfModel | undefined => {
    if (!models.has(path)) models.set(path, readPart(archive, path, onProgress));
    return models.get(path);
  };
  const main = modelAt(root);
  if (!main) throw new MeshError('FILE_MALFORMED', 'This is no sound 3MF: it holds no model');
  const scene = new SceneBuilder();
  const missingCount = placeItems(main, root, modelAt, scene);
  onProgress?.(0.9);
  const { mesh, warnings } = scene.toMesh();
  return {
    mesh,
    warnings: [...missing(missingCount), ...warnings, ...createLossWarnings(lossesIn(archive, models.values()))],
  };
}

function readPart(archive: ZipArchive, path: string, onProgress?: OnProgress): ThreeMfModel | undefined {
  const content = archive.read(path);
  return content && readThreeMfModel(content, (progress) => onProgress?.(progress * 0.8));
}

/** The model that the package begins with: as its relationships say, else the usual place, else any model. */
function rootPath(archive: ZipArchive): string {
  const relations = archive.read('_rels/.rels');
  if (relations) {
    const reader = new XmlReader(relations);
    for (let event = reader.next(); event !== 'end'; event = reader.next()) {
      if (event !== 'open' || reader.name !== 'Relationship') continue;
      const target = reader.attribute('Target');
      if (target && reader.attribute('Type')?.toLowerCase().endsWith(MODEL_RELATION)) return target;
    }
  }
  return archive.names.find((name) => name.toLowerCase().endsWith('.model')) ?? '3D/3dmodel.model';
}

/** Places all that the build names, by an explicit stack. Answers how many references lead nowhere. */
function placeItems(
  main: ThreeMfModel,
  root: string,
  modelAt: (path: string) => ThreeMfModel | undefined,
  scene: SceneBuilder,
): number {
  const base = scaling(main.unitInMm);
  const visits: Visit[] = main.items.map((reference) => {
    return { reference, path: root, transform: compose(base, reference.transform), name: '', depth: 1 };
  });
  visits.reverse();
  let missingCount = 0;
  for (let visit = visits.pop(); visit; visit = visits.pop()) {
    scene.countInstance();
    const { reference, transform, depth } = visit;
    if (depth > DEEPEST) {
      throw new MeshError('FILE_MALFORMED', `This is no sound 3MF: components nest deeper than ${DEEPEST}`);
    }
    const path = reference.path ?? visit.path;
    const object = modelAt(path)?.objects.get(reference.objectId);
    if (!object) {
      missingCount++;
      continue;
    }
    const name = object.name || visit.name;
    if (object.part) scene.place(object.part, transform, name);
    for (const inner of object.components.toReversed()) {
      visits.push({ reference: inner, path, transform: compose(transform, inner.transform), name, depth: depth + 1 });
    }
  }
  return missingCount;
}

function missing(count: number): ReportWarning[] {
  if (count === 0) return [];
  return [
    {
      code: 'OBJECTS_MISSING',
      message: `${pluralize(count, 'thing is', 'things are')} placed that the file does not hold: left out`,
    },
  ];
}

function lossesIn(archive: ZipArchive, models: Iterable<ThreeMfModel | undefined>): Set<Loss> {
  const losses = new Set<Loss>();
  for (const model of models) for (const loss of model?.losses ?? []) losses.add(loss);
  if (archive.names.some((name) => /(^|\/)metadata\/.*\.config$/i.test(name))) losses.add('SETTINGS_DROPPED');
  return losses;
}
