import type { OnProgress } from '../../core/mesh.js';
import { MeshError } from '../../core/mesh-error.js';
import type { ParsedModel } from '../format.js';
import { type AffineTransform, compose, scaling } from '../reading/affine-transform.js';
import { createLossWarnings, type Loss, missingObjectsWarning } from '../reading/losses.js';
import { SceneBuilder } from '../reading/scene.js';
import { XmlReader } from '../text/xml-reader.js';
import { isHiddenEntry } from '../zip/entry-name.js';
import { ZipArchive } from '../zip/zip-reader.js';
import { readThreeMfModel, type ThreeMfModel, type ThreeMfReference } from './three-mf-model.js';

const MAX_DEPTH = 32;
const MODEL_RELATIONSHIP = '/3dmodel';
const KEYSTORE_RELATIONSHIP = '/keystore';

interface Visit {
  reference: ThreeMfReference;
  /** The path of the model part with the reference. */
  path: string;
  transform: AffineTransform;
  name: string;
  depth: number;
}

/**
 * Parses a 3MF: all build items with their components, including model parts of the production extension. Positions are
 * converted to mm from the unit of the file. A mesh is named after its object, else after the object that contains it
 * as a component. Throws `FILE_ENCRYPTED` if a model part that the build uses is encrypted (secure content extension).
 */
export function parseThreeMf(bytes: Uint8Array, onProgress?: OnProgress): ParsedModel {
  const archive = new ZipArchive(bytes);
  const root = findRootPath(archive);
  const encryptedPaths = readEncryptedPaths(archive);
  const models = new Map<string, ThreeMfModel | undefined>();
  const modelAt = (reference: string): ThreeMfModel | undefined => {
    const path = archive.findName(reference);
    if (path === undefined) return undefined;
    if (encryptedPaths.has(path)) throw encryptedError(path);
    if (!models.has(path)) models.set(path, readPart(archive, path, onProgress));
    return models.get(path);
  };
  const main = root === undefined ? undefined : modelAt(root);
  if (root === undefined || !main) throw new MeshError('FILE_MALFORMED', 'Invalid 3MF: the archive has no model.');
  const scene = new SceneBuilder();
  const missingCount = placeItems(main, root, modelAt, scene);
  onProgress?.(0.9);
  const { mesh, warnings } = scene.toMesh();
  return {
    mesh,
    warnings: [
      ...missingObjectsWarning(missingCount),
      ...warnings,
      ...createLossWarnings(lossesIn(archive, models.values())),
    ],
  };
}

function readPart(archive: ZipArchive, path: string, onProgress?: OnProgress): ThreeMfModel | undefined {
  const content = archive.read(path);
  return content && readThreeMfModel(content, (progress) => onProgress?.(progress * 0.8));
}

/**
 * Returns the path of the root model: from the package relationships, else the usual one, else that of the first `.model`
 * entry which is nested least.
 */
function findRootPath(archive: ZipArchive): string | undefined {
  const path = findRelationshipTarget(archive, MODEL_RELATIONSHIP) ?? archive.findName('3D/3dmodel.model');
  if (path !== undefined) return path;
  const depthOf = (name: string): number => name.split('/').length;
  return archive.names
    .filter((name) => /\.model$/i.test(name) && !isHiddenEntry(name))
    .sort((a, b) => depthOf(a) - depthOf(b))[0];
}

/**
 * Returns the path of the first part that exists and is the target of a package relationship whose type ends with
 * `suffix`. Part names are URIs (OPC, 6.2): the target, the entry or both may be percent-encoded.
 */
function findRelationshipTarget(archive: ZipArchive, suffix: string): string | undefined {
  const relationships = archive.read('_rels/.rels');
  if (!relationships) return undefined;
  const reader = new XmlReader(relationships);
  for (let event = reader.next(); event !== 'end'; event = reader.next()) {
    if (event !== 'open' || reader.name !== 'Relationship') continue;
    const target = reader.attribute('Target')?.replaceAll('\\', '/');
    const path = target && reader.attribute('Type')?.toLowerCase().endsWith(suffix) && archive.findName(target);
    if (path) return path;
  }
  return undefined;
}

/** Returns the paths of the parts that the keystore lists: their content is encrypted (3MF Secure Content). */
function readEncryptedPaths(archive: ZipArchive): Set<string> {
  const paths = new Set<string>();
  const target = findRelationshipTarget(archive, KEYSTORE_RELATIONSHIP);
  const keystore = target === undefined ? undefined : archive.read(target);
  if (!keystore) return paths;
  const reader = new XmlReader(keystore);
  for (let event = reader.next(); event !== 'end'; event = reader.next()) {
    if (event !== 'open' || reader.name !== 'resourcedata') continue;
    const path = archive.findName(reader.attribute('path') ?? '');
    if (path !== undefined) paths.add(path);
  }
  return paths;
}

function encryptedError(path: string): MeshError {
  const message = `Could not read the 3MF: the model part “${path.slice(0, 80)}” is encrypted. Save it without encryption.`;
  return new MeshError('FILE_ENCRYPTED', message);
}

/** Places all build items and their components with an explicit stack. Returns the number of unresolved references. */
function placeItems(
  main: ThreeMfModel,
  root: string,
  modelAt: (path: string) => ThreeMfModel | undefined,
  scene: SceneBuilder,
): number {
  const rootTransform = scaling(main.unitInMm);
  const visits: Visit[] = main.items.map((reference) => {
    return { reference, path: root, transform: compose(rootTransform, reference.transform), name: '', depth: 1 };
  });
  visits.reverse();
  let missingCount = 0;
  for (let visit = visits.pop(); visit; visit = visits.pop()) {
    scene.countInstance();
    const { reference, transform, depth } = visit;
    if (depth > MAX_DEPTH) {
      throw new MeshError('FILE_MALFORMED', `Invalid 3MF: components nest deeper than ${MAX_DEPTH}.`);
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

function lossesIn(archive: ZipArchive, models: Iterable<ThreeMfModel | undefined>): Set<Loss> {
  const losses = new Set<Loss>();
  for (const model of models) for (const loss of model?.losses ?? []) losses.add(loss);
  if (archive.names.some((name) => /(^|\/)metadata\/.*\.config$/i.test(name))) losses.add('SETTINGS_DROPPED');
  return losses;
}
