import type { ReportWarning } from '../../analysis/report.js';
import { GrowableFloat64Array } from '../../core/growable-float64-array.js';
import type { OnProgress } from '../../core/mesh.js';
import { MeshError } from '../../core/mesh-error.js';
import { pluralize } from '../../core/pluralize.js';
import type { ParsedModel, ReaderWarning } from '../format.js';
import { type AffineTransform, compose } from '../reading/affine-transform.js';
import { buildMeshFromFaces, type Faces } from '../reading/build-mesh-from-faces.js';
import { createLossWarnings, type Loss } from '../reading/losses.js';
import { SceneBuilder, type ScenePart } from '../reading/scene.js';
import { readBinaryFbx, readBinaryFbxVersion } from './fbx-binary.js';
import { childrenOf, findCoarserLevels, groupByParent } from './fbx-levels.js';
import { type FbxDocument, type FbxNode, findChild } from './fbx-node.js';
import { readFbxTransform } from './fbx-settings.js';
import { readTextFbx } from './fbx-text.js';
import { readFbxTransforms } from './fbx-transform.js';

// Dialects that are accepted, and what writes them:
//
// | dialect                                                         | read by  | written by                           |
// | --------------------------------------------------------------- | -------- | ------------------------------------ |
// | version 6, text and binary: models contain their geometry       | this one | Blender 2.7, Maya and 3ds Max to 2010 |
// | version 7, text and binary (7.5: 64-bit offsets)                | assimp   | FBX SDK, Blender, Unity, Maya        |
// | nodes without children that declare 0 as their end              | both     | exporters of games                   |
// | units and axes of `GlobalSettings`; default: cm with Y up       | both     | FBX SDK                              |
// | `LodGroup`: the finest level is read                            | both     | Maya, 3ds Max, Unity, Unreal Engine  |
//
// Older versions are refused. Both place models alike: fbx.test.ts compares them. Assimp reads all levels of a group, so
// the coarser ones are disconnected before.

/** The first version whose models are listed below `Objects`, and the first one whose objects have ids. */
const MIN_VERSION = 6000;
const FIRST_ID_VERSION = 7000;
const SNIFF_BYTES = 4096;
const MAX_DEPTH = 1000;

/** Returns whether a file is FBX 6 or older: objects have names instead of ids, and models contain their geometry. */
export function isNamedFbx(bytes: Uint8Array): boolean {
  const version = readVersion(bytes);
  return version !== undefined && version < FIRST_ID_VERSION;
}

/** Returns the version, such as 6100, or `undefined` if the start of the file has none of at least four digits. */
function readVersion(bytes: Uint8Array): number | undefined {
  const start = new TextDecoder('latin1').decode(bytes.subarray(0, SNIFF_BYTES));
  const textVersion = /^\s*FBXVersion:\s*(\d{4})\b/m.exec(start)?.[1];
  const version = readBinaryFbxVersion(bytes) ?? Number(textVersion ?? 0);
  return version >= 1000 ? version : undefined;
}

/**
 * Parses FBX 6, binary or ASCII: the polygons of all models, placed by their connections, in mm with Z up. Animations,
 * skins and materials are ignored. Throws `FILE_MALFORMED` for older versions.
 */
export function parseNamedFbx(bytes: Uint8Array, onProgress?: OnProgress): ParsedModel {
  const version = readVersion(bytes);
  if (version !== undefined && version < MIN_VERSION) {
    const message = `Could not read the FBX: version ${Math.floor(version / 1000)} is not supported. Save it as FBX 7.`;
    throw new MeshError('FILE_MALFORMED', message);
  }
  const isBinary = readBinaryFbxVersion(bytes) !== undefined;
  const document = isBinary ? readBinaryFbx(bytes) : readTextFbx(bytes);
  onProgress?.(0.6);
  const scene = new SceneBuilder();
  const documentWarnings: ReportWarning[] = [];
  if (document.isTruncated)
    documentWarnings.push({ code: 'TRUNCATED', message: 'The file is truncated; only complete nodes were read.' });
  placeModels(document, readFbxTransform(bytes), scene, documentWarnings);
  const { mesh, warnings } = scene.toMesh();
  return { mesh, warnings: [...documentWarnings, ...warnings, ...createLossWarnings(lossesIn(document))] };
}

interface Visit {
  name: string;
  transform: AffineTransform;
  depth: number;
}

/** Places all models with an explicit stack, from those that are connected to no other model. */
function placeModels(
  { roots }: FbxDocument,
  rootTransform: AffineTransform,
  scene: SceneBuilder,
  documentWarnings: ReportWarning[],
): void {
  const models = new Map<string, FbxNode>();
  for (const node of childrenOf(roots, 'Objects')) {
    const name = node.strings[0] ?? '';
    if (node.name === 'Model' && !models.has(name)) models.set(name, node);
  }
  const { childrenByName, rootNames, coarserNames } = connectModels(roots, models);
  const parts = new Map<string, ScenePart | undefined>();
  const visits: Visit[] = [];
  // Counted when pushed: in a cycle, each visit adds all connections of a model.
  const push = (visit: Visit): void => {
    scene.countInstance();
    visits.push(visit);
  };
  for (const name of rootNames.toReversed()) push({ name, transform: rootTransform, depth: 1 });
  for (let visit = visits.pop(); visit; visit = visits.pop()) {
    const { name, depth } = visit;
    const model = models.get(name);
    if (!model) continue;
    if (depth > MAX_DEPTH)
      throw new MeshError('TOO_LARGE', `Could not read the FBX: models nest deeper than ${MAX_DEPTH}.`);
    const { node, geometry } = readFbxTransforms(model);
    const transform = compose(visit.transform, node);
    if (!parts.has(name)) parts.set(name, readPart(model, documentWarnings));
    const part = parts.get(name);
    if (part) scene.place(part, compose(transform, geometry), toLabel(name));
    for (const { child } of (childrenByName.get(name) ?? []).toReversed())
      push({ name: child, transform, depth: depth + 1 });
  }
  const unconnected = [...models.keys()].filter((name) => !parts.has(name) && !coarserNames.has(name));
  documentWarnings.push(...unconnectedModelsWarning(unconnected.length));
}

/** Returns the warning for models that are part of a cycle or below one, or nothing if `count` is 0. */
function unconnectedModelsWarning(count: number): ReaderWarning[] {
  if (count === 0) return [];
  const message = `${pluralize(count, 'model')} without a connection to the scene ${count === 1 ? 'was' : 'were'} skipped.`;
  return [{ code: 'OBJECTS_MISSING', message, skipped: { objects: count } }];
}

/**
 * Returns the connections to the children of each model by its name, the models that have no parent, and those of coarser levels of detail,
 * which are no children.
 */
function connectModels(roots: readonly FbxNode[], models: ReadonlyMap<string, FbxNode>) {
  const connections = childrenOf(roots, 'Connections')
    .map((node) => ({ kind: node.strings[0], child: node.strings[1] ?? '', parent: node.strings[2] ?? '', node }))
    .filter(({ kind, child, parent }) => kind === 'OO' && models.has(child) && models.has(parent));
  const coarser = findCoarserLevels(models, connections);
  const childrenByName = groupByParent(connections.filter((connection) => !coarser.has(connection)));
  const children = new Set(connections.map(({ child }) => child));
  const coarserNames = new Set(Array.from(coarser, ({ child }) => child));
  // Names that are added to a set are visited, too.
  for (const name of coarserNames) for (const { child } of childrenByName.get(name) ?? []) coarserNames.add(child);
  const rootNames = [...models.keys()].filter((name) => !children.has(name));
  return { childrenByName, rootNames, coarserNames };
}

function readPart(model: FbxNode, documentWarnings: ReportWarning[]): ScenePart | undefined {
  const faces = readFaces(model);
  if (!faces) return undefined;
  const { mesh, warnings } = buildMeshFromFaces(faces);
  documentWarnings.push(...warnings);
  return { points: mesh.positions, corners: mesh.triangles };
}

/** Returns the polygons of a model, or `undefined` if it has none. The last index of a polygon is inverted. */
function readFaces(model: FbxNode): Faces | undefined {
  const points = findChild(model, 'Vertices')?.numbers;
  const indices = findChild(model, 'PolygonVertexIndex')?.numbers;
  if (!points || !indices) return undefined;
  const corners = new GrowableFloat64Array();
  const faceStarts = new GrowableFloat64Array();
  let isStart = true;
  for (const index of indices) {
    if (isStart) faceStarts.push(corners.length);
    isStart = index < 0;
    corners.push(isStart ? -index - 1 : index);
  }
  const pointCount = points.length - (points.length % 3);
  return {
    points: Float64Array.from(points.slice(0, pointCount)),
    corners: corners.values(),
    faceStarts: faceStarts.values(),
  };
}

/** Returns the name of a model without its class: `Model::lid` in a text, `lid`, NUL and more in a binary file. */
function toLabel(name: string): string {
  return name.replace(/^.*::/, '').replace(/\0.*$/s, '');
}

function lossesIn({ roots }: FbxDocument): Loss[] {
  const objects = childrenOf(roots, 'Objects');
  const takes = childrenOf(roots, 'Takes');
  const losses: Loss[] = [];
  if (objects.some(({ name }) => name === 'Material' || name === 'Texture')) losses.push('MATERIALS_DROPPED');
  if (objects.some((object) => findChild(object, 'LayerElementColor'))) losses.push('COLOURS_DROPPED');
  if (objects.some(({ name }) => name === 'Deformer') || takes.some((take) => findChild(take, 'Model')))
    losses.push('ANIMATION_DROPPED');
  return losses;
}
