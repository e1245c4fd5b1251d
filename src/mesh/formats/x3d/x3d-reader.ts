import type { ReportWarning } from '../../analysis/report.js';
import type { OnProgress } from '../../core/mesh.js';
import { MeshError } from '../../core/mesh-error.js';
import type { ParsedModel } from '../format.js';
import { type AffineTransform, compose, yUpToZUp } from '../reading/affine-transform.js';
import { buildMeshFromFaces, type Faces } from '../reading/build-mesh-from-faces.js';
import { createLossWarnings, type Loss } from '../reading/losses.js';
import { SceneBuilder, type ScenePart } from '../reading/scene.js';
import { readVrml } from './vrml.js';
import { facesOfExtrusion } from './x3d-extrusion.js';
import { facesOfNode } from './x3d-faces.js';
import { MISSING, type X3dDocument, type X3dNode } from './x3d-node.js';
import { facesOfBox, facesOfCone, facesOfCylinder, facesOfElevationGrid, facesOfSphere } from './x3d-primitives.js';
import { x3dNodeTransform } from './x3d-transform.js';
import { readX3dXml } from './x3d-xml.js';

const MAX_DEPTH = 10_000;
/** Node type → its faces. */
const GEOMETRIES = new Map<string, (node: X3dNode) => Faces>([
  ['IndexedFaceSet', facesOfNode],
  ['IndexedTriangleSet', facesOfNode],
  ['Extrusion', facesOfExtrusion],
  ['ElevationGrid', facesOfElevationGrid],
  ['Box', facesOfBox],
  ['Sphere', facesOfSphere],
  ['Cone', facesOfCone],
  ['Cylinder', facesOfCylinder],
]);
const UNSUPPORTED_SHAPES = [
  'Text',
  'TriangleSet',
  'QuadSet',
  'IndexedQuadSet',
  'IndexedTriangleStripSet',
  'IndexedTriangleFanSet',
];

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
 * Parses the XML encoding of X3D: face sets, extrusions, elevation grids, boxes, spheres, cones and cylinders below
 * Transform and other grouping nodes; a node reused with `USE` is placed again. Converted to mm with Z up from meters
 * with Y up, or from the declared unit. Other shapes are listed in the warnings.
 */
export function parseX3d(bytes: Uint8Array, onProgress?: OnProgress): ParsedModel {
  return buildModel(readX3dXml(bytes), onProgress);
}

function buildModel({ roots, unitInMm, isTruncated }: X3dDocument, onProgress?: OnProgress): ParsedModel {
  onProgress?.(0.6);
  const scene = new SceneBuilder();
  const documentWarnings: ReportWarning[] = [];
  if (isTruncated)
    documentWarnings.push({ code: 'TRUNCATED', message: 'The file is truncated; only complete nodes were read.' });
  const losses = new Set<Loss>();
  placeNodes(roots, yUpToZUp(unitInMm), scene, (node) => toScenePart(node, documentWarnings, losses));
  const { mesh, warnings } = scene.toMesh();
  return { mesh, warnings: [...documentWarnings, ...warnings, ...createLossWarnings(losses)] };
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
    const transform = node.type === 'Transform' ? compose(visit.transform, x3dNodeTransform(node)) : visit.transform;
    for (const child of shownChildren(node).toReversed())
      visits.push({ node: child, transform, name, depth: depth + 1 });
  }
}

/** Returns the visible children: the chosen child of a Switch, the finest level of an LOD, or all. */
function shownChildren({ type, children, numbers }: X3dNode): X3dNode[] {
  if (type === 'LOD') return children.slice(0, 1);
  if (type !== 'Switch') return children;
  const choice = numbers.get('whichChoice')?.[0] ?? -1;
  return children.filter((_, i) => i === choice);
}

/** Returns the triangles of a geometry node, and records what is not imported from others. */
function toScenePart(node: X3dNode, documentWarnings: ReportWarning[], losses: Set<Loss>): ScenePart | undefined {
  if (UNSUPPORTED_SHAPES.includes(node.type)) losses.add('SHAPES_DROPPED');
  else if (node.type === 'Material' || node.type.endsWith('Texture')) losses.add('MATERIALS_DROPPED');
  else if (node.type === 'Inline') losses.add('INLINE_DROPPED');
  else if (node.type === MISSING) losses.add('OBJECTS_MISSING');
  const toFaces = GEOMETRIES.get(node.type);
  if (!toFaces) return undefined;
  if (node.children.some(({ type }) => type.startsWith('Color'))) losses.add('COLOURS_DROPPED');
  const { mesh, warnings } = buildMeshFromFaces(toFaces(node));
  documentWarnings.push(...warnings);
  return { points: mesh.positions, corners: mesh.triangles };
}
