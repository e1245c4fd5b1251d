import type { ReportWarning } from '../../analysis/report.js';
import type { OnProgress } from '../../core/mesh.js';
import { MeshError } from '../../core/mesh-error.js';
import type { ParsedModel, ReadOptions } from '../format.js';
import { BodyPlacer } from '../helper-bodies/body-placer.js';
import { createLossWarnings, type Loss, missingObjectsWarning } from '../reading/losses.js';
import { SceneBuilder } from '../reading/scene.js';
import { XmlReader } from '../text/xml-reader.js';
import { isHiddenEntry } from '../zip/entry-name.js';
import { ZipArchive } from '../zip/zip-reader.js';
import { placeItems } from './place-items.js';
import { selectPlate } from './select-plate.js';
import { readSlicerConfig, type SlicerConfig } from './slicer-config.js';
import { readThreeMfModel, type ThreeMfModel } from './three-mf-model.js';

const MODEL_RELATIONSHIP = '/3dmodel';
const KEYSTORE_RELATIONSHIP = '/keystore';

/**
 * Parses a 3MF: all build items with their components, including model parts of the production extension. Positions are
 * converted to mm from the unit of the file. A mesh is named after its object, else after the object that contains it
 * as a component; the names of a slicer take precedence. Throws `FILE_ENCRYPTED` if a model part that the build uses is
 * encrypted (secure content extension).
 */
export function parseThreeMf(
  bytes: Uint8Array,
  onProgress: OnProgress | undefined,
  { plate: selection = 'all', ...options }: ReadOptions,
): ParsedModel {
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
  const config = readSlicerConfig(archive);
  const { plate, warnings: plateWarnings } = selectPlate(config.plates, selection);
  const scene = new SceneBuilder();
  const placer = new BodyPlacer(scene, options);
  const missingCount = placeItems({ main, root, modelAt, config, plate, scene, placer });
  onProgress?.(0.9);
  const { mesh, helpers, warnings } = scene.toMesh();
  return {
    mesh,
    ...(helpers && { helpers: { ...helpers, slicer: config.family } }),
    reasons: placer.listReasons(),
    warnings: [
      ...plateWarnings,
      ...placer.createWarnings(),
      ...damagedConfigWarning(config),
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

function damagedConfigWarning({ damagedPaths }: SlicerConfig): ReportWarning[] {
  return damagedPaths.map((path) => {
    const message = `The slicer's list of parts, ${path}, is damaged: helper bodies may be read as parts of the model.`;
    return { code: 'SLICER_CONFIG_DAMAGED', message };
  });
}

function lossesIn(archive: ZipArchive, models: Iterable<ThreeMfModel | undefined>): Set<Loss> {
  const losses = new Set<Loss>();
  for (const model of models) for (const loss of model?.losses ?? []) losses.add(loss);
  if (archive.names.some((name) => /(^|\/)metadata\/.*\.config$/i.test(name))) losses.add('SETTINGS_DROPPED');
  return losses;
}
