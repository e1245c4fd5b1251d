// Dialects that the reader accepts:
//
// | dialect | written by |
// |---|---|
// | COLLADA 1.4 and 1.5, plain and as ZAE, with X, Y or Z up, in any unit | SketchUp, Blender, 3ds Max, Maya, Cinema 4D |
// | triangles, polylists, polygons (with holes), strips and fans | OpenCOLLADA: polylists; SketchUp: triangles; ColladaMax: polygons |
// | a decimal comma in the unit and other decimal numbers, or commas between numbers | exporters that run in a language with a decimal comma |
// | positions with other values between them, or in another order | ColladaMaya, hand-written exporters |
// | nodes of libraries, and instances of instances | SketchUp, OpenCOLLADA |
// | skins; joints by sid, id or name, with or without `<skeleton>`; -1 for the bind shape | Blender, OpenCOLLADA, Mixamo, Daz Studio |
// | morph targets, normalized and relative, also below a skin | Maya, Daz Studio |
// | equal ids of elements with different names; files without a scene | Sweet Home 3D, hand-written exporters |
// | files that end early: the complete elements | cut downloads |
//
// Geometry in other files (`url="other.dae#id"`), splines, convex meshes and physics are not read. assimp reads Collada
// too, but is not used for it: it places a skinned mesh by its node, without the bind shape and the joints, and refuses
// polygons with holes. compared-readers.test.ts compares both.

import type { ReportWarning } from '../../analysis/report.js';
import type { OnProgress } from '../../core/mesh.js';
import { MeshError } from '../../core/mesh-error.js';
import type { ParsedModel } from '../format.js';
import { type AffineTransform, compose, IDENTITY } from '../reading/affine-transform.js';
import { createLossWarnings, type Loss, missingObjectsWarning } from '../reading/losses.js';
import { SceneBuilder, type ScenePart } from '../reading/scene.js';
import { ColladaControllers } from './collada-controllers.js';
import {
  type ColladaDocument,
  type ColladaElement,
  findChild,
  findInLibraries,
  MAX_DEPTH,
  readColladaDocument,
  resolveReference,
} from './collada-element.js';
import { readGeometry } from './collada-geometry.js';
import { readNodeTransform, readRootTransform } from './collada-transform.js';

/** Element → the name of the elements that it places. */
const INSTANCES = new Map([
  ['instance_node', 'node'],
  ['instance_geometry', 'geometry'],
  ['instance_controller', 'controller'],
]);

/**
 * Parses a Collada document: the geometry of its scene, in mm with Z up. A skinned geometry is placed by its joints, in the
 * pose of the nodes; animations and materials are ignored. Without a scene, all geometries are placed at the origin.
 */
export function parseCollada(bytes: Uint8Array, onProgress?: OnProgress): ParsedModel {
  const document = readColladaDocument(bytes);
  onProgress?.(0.6);
  const placement = new ColladaPlacement(document, readRootTransform(document.root));
  placement.placeAll(findRoots(document));
  onProgress?.(0.9);
  const { mesh, warnings } = placement.scene.toMesh();
  const documentWarnings: ReportWarning[] = [];
  if (document.isTruncated)
    documentWarnings.push({ code: 'TRUNCATED', message: 'The file is truncated; only complete elements were read.' });
  documentWarnings.push(...missingObjectsWarning(placement.missingCount), ...placement.warnings, ...warnings);
  return { mesh, warnings: [...documentWarnings, ...createLossWarnings([...placement.losses, ...lossesIn(document)])] };
}

/** Returns the nodes of the scene, of the first visual scene if there is none, or else the geometries. */
function findRoots(document: ColladaDocument): ColladaElement[] {
  const instance = findChild(findChild(document.root, 'scene'), 'instance_visual_scene');
  const [firstScene] = findInLibraries(document, 'library_visual_scenes', 'visual_scene');
  const scene = resolveReference(document, instance, 'url', ['visual_scene']) ?? firstScene;
  if (scene) return scene.children.filter(({ name }) => name === 'node');
  return findInLibraries(document, 'library_geometries', 'geometry');
}

function lossesIn(document: ColladaDocument): Loss[] {
  const has = (library: string, name: string) => findInLibraries(document, library, name).length > 0;
  const losses: Loss[] = [];
  if (has('library_materials', 'material')) losses.push('MATERIALS_DROPPED');
  if (has('library_animations', 'animation') || has('library_controllers', 'controller'))
    losses.push('ANIMATION_DROPPED');
  return losses;
}

/** An instance of a node that contains the visited element. */
interface NodeInstance {
  node: ColladaElement;
  transform: AffineTransform;
  outer: NodeInstance | undefined;
}

interface Visit {
  element: ColladaElement;
  transform: AffineTransform;
  name: string;
  depth: number;
  /** The innermost instance that contains the element. */
  outer: NodeInstance | undefined;
  /** Of a controller: its `instance_controller`. */
  reference?: ColladaElement | undefined;
}

/** Places the geometry below nodes, with an explicit stack. Each geometry is read once, unless joints place it. */
class ColladaPlacement {
  readonly scene = new SceneBuilder();
  readonly warnings: ReportWarning[] = [];
  readonly losses = new Set<Loss>();
  missingCount = 0;
  readonly #document: ColladaDocument;
  readonly #rootTransform: AffineTransform;
  readonly #controllers: ColladaControllers;
  readonly #parts = new Map<ColladaElement, ScenePart[]>();

  constructor(document: ColladaDocument, rootTransform: AffineTransform) {
    this.#document = document;
    this.#rootTransform = rootTransform;
    this.#controllers = new ColladaControllers(document, rootTransform, this);
  }

  placeAll(roots: readonly ColladaElement[]): void {
    const visits: Visit[] = [];
    // Counted when pushed: in a cycle, each visit adds all instances of a node.
    const push = (visit: Visit): void => {
      this.scene.countInstance();
      visits.push(visit);
    };
    const transform = this.#rootTransform;
    for (const element of roots.toReversed()) push({ element, transform, name: '', depth: 1, outer: undefined });
    for (let visit = visits.pop(); visit; visit = visits.pop()) {
      if (visit.depth > MAX_DEPTH)
        throw new MeshError('TOO_LARGE', `Could not read the Collada: nodes nest deeper than ${MAX_DEPTH}.`);
      if (visit.element.name === 'geometry') this.#placeGeometry(visit);
      else if (visit.element.name === 'controller') this.#placeController(visit);
      else for (const child of this.#childrenOf(visit).toReversed()) push(child);
    }
  }

  #placeGeometry({ element, transform, name }: Visit): void {
    for (const part of this.#readParts(element)) this.scene.place(part, transform, name || labelOf(element));
  }

  #placeController({ element, transform, name, outer, reference }: Visit): void {
    const controlled =
      reference && this.#controllers.read(element, { element: reference, instances: listAround(outer) });
    if (!controlled) this.missingCount++;
    for (const part of controlled?.parts ?? [])
      this.scene.place(
        part,
        controlled?.isPlacedByJoints ? IDENTITY : transform,
        name || labelOf(controlled?.geometry),
      );
  }

  /** Returns visits of the nodes, geometries and controllers below a node, in sequence, with references resolved. */
  #childrenOf({ element, transform: outerTransform, name: outerName, depth, outer }: Visit): Visit[] {
    const transform = compose(outerTransform, readNodeTransform(element));
    const name = element.attributes.get('name') || outerName || element.attributes.get('id') || '';
    const common = { transform, name, depth: depth + 1, outer };
    return element.children.flatMap((child): Visit | Visit[] => {
      if (child.name === 'node') return { ...common, element: child };
      const targetName = INSTANCES.get(child.name);
      if (targetName === undefined) return [];
      const target = resolveReference(this.#document, child, 'url', [targetName]);
      if (!target) {
        this.missingCount++;
        return [];
      }
      if (targetName === 'node') return { ...common, element: target, outer: { node: target, transform, outer } };
      return { ...common, element: target, reference: child };
    });
  }

  #readParts(geometry: ColladaElement): ScenePart[] {
    const existing = this.#parts.get(geometry);
    if (existing) return existing;
    const parts = readGeometry(this.#document, geometry, this);
    this.#parts.set(geometry, parts);
    return parts;
  }
}

function labelOf(geometry: ColladaElement | undefined): string {
  return geometry?.attributes.get('name') || geometry?.attributes.get('id') || '';
}

/** Lists the instances around an element: node → the transform of its innermost instance. */
function listAround(innermost: NodeInstance | undefined): Map<ColladaElement, AffineTransform> {
  const transforms = new Map<ColladaElement, AffineTransform>();
  for (let instance = innermost; instance; instance = instance.outer)
    if (!transforms.has(instance.node)) transforms.set(instance.node, instance.transform);
  return transforms;
}
