import type { ReportWarning } from '../../analysis/report.js';
import type { OnProgress } from '../../core/mesh.js';
import { MeshError } from '../../core/mesh-error.js';
import type { ParsedModel } from '../format.js';
import { type AffineTransform, compose, yUpToZUp } from '../reading/affine-transform.js';
import { buildMeshFromFaces } from '../reading/build-mesh-from-faces.js';
import { createLossWarnings, type Loss } from '../reading/losses.js';
import { SceneBuilder, type ScenePart } from '../reading/scene.js';
import { readVrml } from './vrml.js';
import { GEOMETRIES } from './x3d-geometries.js';
import { MISSING, MISSING_PROTOTYPE, type X3dDocument, type X3dNode } from './x3d-node.js';
import { x3dNodeTransform } from './x3d-transform.js';
import { missingPrototypesWarning, shapesDroppedWarning } from './x3d-warnings.js';
import { readX3dXml } from './x3d-xml.js';

// Dialects that are accepted, and what writes them:
//
// | dialect                                                          | written by                            |
// | ---------------------------------------------------------------- | ------------------------------------- |
// | VRML 97                                                          | SolidWorks, CATIA, Rhino, KiCad       |
// | X3D as XML, of any version and profile, with or without a DTD    | Blender, MeshLab, X3D-Edit, x3dom     |
// | X3D in the classic encoding, as `.wrl`                           | X3D-Edit, Castle Model Viewer         |
// | units other than meters (`unit`)                                 | X3D 3.3 and later                     |
// | prototypes with fields (`IS`), prototypes in prototypes          | X3D-Edit, scripts                     |
// | sets of triangles, strips and fans, indexed or not; quads        | x3dom, Instant Reality; CAD exporters |
// | indices of triangles and quads that -1 separates                 | scripts                               |
// | CADPart, EspduTransform and the joints of HAnimHumanoid          | CAD exporters, Blender                |
//
// VRML 1 and the binary and JSON encodings of X3D are refused. The geometry nodes that are not read are listed in
// x3d-geometries.ts. Assimp is built without its reader of X3D.

const MAX_DEPTH = 10_000;
/** Nodes that place their children, all by the fields of a Transform. */
const TRANSFORMS: readonly string[] = [
  'Transform',
  'CADPart',
  'EspduTransform',
  'HAnimHumanoid',
  'HAnimJoint',
  'HAnimSite',
];
/** Nodes whose nodes are never shown: they are parameters, and often shown elsewhere. */
const HIDDEN_CONTENT = /^(Script|RigidBody|RigidBodyCollection|CollisionCollection|.*Emitter|.*PickSensor)$/;
/** Nodes that a Shape may have beside its geometry. */
const NO_GEOMETRY = /^(Appearance|Metadata.*)$/;

interface Visit {
  node: X3dNode;
  transform: AffineTransform;
  name: string;
  depth: number;
}

/** Parses a VRML 97; see `parseX3d`. */
export function parseVrml(bytes: Uint8Array, onProgress?: OnProgress): ParsedModel {
  return buildModel(readVrml(bytes), onProgress);
}

/**
 * Parses the XML encoding of X3D: the geometries that enclose volumes, below Transform and other grouping nodes and in
 * instances of prototypes; a node reused with `USE` is placed again. Converted to mm with Z up from meters with Y up, or
 * from the declared unit. The warnings name all other shapes, and prototypes in other files.
 */
export function parseX3d(bytes: Uint8Array, onProgress?: OnProgress): ParsedModel {
  return buildModel(readX3dXml(bytes), onProgress);
}

/** What is not imported. */
interface Skipped {
  losses: Set<Loss>;
  /** Types of geometry nodes. */
  shapes: Set<string>;
  /** Names of prototypes. */
  prototypes: Set<string>;
}

function buildModel({ roots, unitInMm, isTruncated }: X3dDocument, onProgress?: OnProgress): ParsedModel {
  onProgress?.(0.6);
  const scene = new SceneBuilder();
  const documentWarnings: ReportWarning[] = [];
  if (isTruncated)
    documentWarnings.push({ code: 'TRUNCATED', message: 'The file is truncated; only complete nodes were read.' });
  const skipped: Skipped = { losses: new Set(), shapes: new Set(), prototypes: new Set() };
  placeNodes(roots, yUpToZUp(unitInMm), scene, (node) => toScenePart(node, documentWarnings, skipped));
  const { mesh, warnings } = scene.toMesh();
  const skippedWarnings = [
    ...createLossWarnings(skipped.losses),
    ...missingPrototypesWarning(skipped.prototypes),
    ...shapesDroppedWarning(skipped.shapes),
  ];
  return { mesh, warnings: [...documentWarnings, ...warnings, ...skippedWarnings] };
}

/** Places all geometry below the roots with an explicit stack. Each node is read once. */
function placeNodes(
  roots: readonly X3dNode[],
  rootTransform: AffineTransform,
  scene: SceneBuilder,
  readPart: (node: X3dNode) => ScenePart | undefined,
): void {
  const parts = new Map<X3dNode, ScenePart | undefined>();
  const visits: Visit[] = roots.map((node) => ({ node, transform: rootTransform, name: '', depth: 1 })).reverse();
  for (let visit = visits.pop(); visit; visit = visits.pop()) {
    scene.countInstance();
    const { node, depth } = visit;
    if (depth > MAX_DEPTH)
      throw new MeshError('TOO_LARGE', `Could not read the file: the scene nests deeper than ${MAX_DEPTH}.`);
    if (!parts.has(node)) parts.set(node, readPart(node));
    const part = parts.get(node);
    const name = node.name || visit.name;
    if (part) scene.place(part, visit.transform, name);
    if (GEOMETRIES.has(node.type)) continue;
    const transform = TRANSFORMS.includes(node.type)
      ? compose(visit.transform, x3dNodeTransform(node))
      : visit.transform;
    for (const child of shownChildren(node).toReversed())
      visits.push({ node: child, transform, name, depth: depth + 1 });
  }
}

/** Returns the visible children: the chosen child of a Switch, the finest level of an LOD, none of a sensor, or all. */
function shownChildren({ type, children, numbers }: X3dNode): X3dNode[] {
  if (type === 'LOD') return children.slice(0, 1);
  if (HIDDEN_CONTENT.test(type)) return [];
  if (type !== 'Switch') return children;
  const choice = numbers.get('whichChoice')?.[0] ?? -1;
  return children.filter((_, i) => i === choice);
}

/** Returns the triangles of a geometry node, and records what is not imported from others. */
function toScenePart(node: X3dNode, documentWarnings: ReportWarning[], skipped: Skipped): ScenePart | undefined {
  recordSkipped(node, skipped);
  const toFaces = GEOMETRIES.get(node.type);
  if (!toFaces) return undefined;
  if (node.children.some(({ type }) => type === 'GeoCoordinate')) {
    skipped.shapes.add(`${node.type} with GeoCoordinate`);
    return undefined;
  }
  if (node.children.some(({ type }) => type.startsWith('Color'))) skipped.losses.add('COLOURS_DROPPED');
  const { mesh, warnings } = buildMeshFromFaces(toFaces(node));
  documentWarnings.push(...warnings);
  return { points: mesh.positions, corners: mesh.triangles };
}

function recordSkipped({ type, name, children }: X3dNode, { losses, shapes, prototypes }: Skipped): void {
  if (type === 'Material' || type.endsWith('Texture')) losses.add('MATERIALS_DROPPED');
  else if (type === 'Inline') losses.add('INLINE_DROPPED');
  else if (type === MISSING) losses.add('OBJECTS_MISSING');
  else if (type === MISSING_PROTOTYPE) prototypes.add(name);
  else if (GEOMETRIES.has(type) && !GEOMETRIES.get(type)) shapes.add(type);
  else if (type === 'Shape') {
    // Geometries that are in no standard.
    for (const child of children) if (isUnknownGeometry(child)) shapes.add(child.type);
  }
}

function isUnknownGeometry({ type }: X3dNode): boolean {
  return !GEOMETRIES.has(type) && !NO_GEOMETRY.test(type) && type !== MISSING && type !== MISSING_PROTOTYPE;
}
