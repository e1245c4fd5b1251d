import type { ReportWarning } from '../../analysis/report.js';
import type { OnProgress } from '../../core/mesh.js';
import { MeshError } from '../../core/mesh-error.js';
import type { ParsedModel } from '../format.js';
import { type AffineTransform, compose } from '../reading/affine-transform.js';
import { createLossWarnings, type Loss, missingObjectsWarning } from '../reading/losses.js';
import { SceneBuilder, type ScenePart } from '../reading/scene.js';
import {
  type ColladaDocument,
  type ColladaElement,
  findChild,
  findInLibraries,
  readColladaDocument,
  resolveReference,
} from './collada-element.js';
import { readGeometry } from './collada-geometry.js';
import { readNodeTransform, readRootTransform } from './collada-transform.js';

const MAX_DEPTH = 1000;
/** The longest chain of controllers: a skin of a morph of a geometry. */
const MAX_CONTROLLERS = 4;
/** Element → the name of the elements that it places. */
const INSTANCES = new Map([
  ['instance_node', 'node'],
  ['instance_geometry', 'geometry'],
  ['instance_controller', 'controller'],
]);

/**
 * Parses a Collada document: the geometry of its scene, in mm with Z up. A skinned geometry is placed by its node, in its
 * rest pose. Animations and materials are ignored. Without a scene, all geometries are placed at the origin.
 */
export function parseCollada(bytes: Uint8Array, onProgress?: OnProgress): ParsedModel {
  const document = readColladaDocument(bytes);
  onProgress?.(0.6);
  const placement = new ColladaPlacement(document);
  placement.placeAll(findRoots(document), readRootTransform(document.root));
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

interface Visit {
  element: ColladaElement;
  transform: AffineTransform;
  name: string;
  depth: number;
}

/** Places the geometry below nodes, with an explicit stack. Each geometry is read once. */
class ColladaPlacement {
  readonly scene = new SceneBuilder();
  readonly warnings: ReportWarning[] = [];
  readonly losses = new Set<Loss>();
  missingCount = 0;
  readonly #document: ColladaDocument;
  readonly #parts = new Map<ColladaElement, ScenePart[]>();

  constructor(document: ColladaDocument) {
    this.#document = document;
  }

  placeAll(roots: readonly ColladaElement[], rootTransform: AffineTransform): void {
    const visits: Visit[] = [];
    // Counted when pushed: in a cycle, each visit adds all instances of a node.
    const push = (visit: Visit): void => {
      this.scene.countInstance();
      visits.push(visit);
    };
    for (const element of roots.toReversed()) push({ element, transform: rootTransform, name: '', depth: 1 });
    for (let visit = visits.pop(); visit; visit = visits.pop()) {
      const { element, depth } = visit;
      if (depth > MAX_DEPTH)
        throw new MeshError('TOO_LARGE', `Could not read the Collada: nodes nest deeper than ${MAX_DEPTH}.`);
      const name = element.attributes.get('name') || visit.name || element.attributes.get('id') || '';
      if (element.name === 'geometry') {
        for (const part of this.#readParts(element)) this.scene.place(part, visit.transform, visit.name || name);
        continue;
      }
      const transform = compose(visit.transform, readNodeTransform(element));
      for (const child of this.#childrenOf(element).toReversed())
        push({ element: child, transform, name, depth: depth + 1 });
    }
  }

  /** Returns the nodes and geometries below a node, in sequence, with references resolved. */
  #childrenOf(node: ColladaElement): ColladaElement[] {
    return node.children.flatMap((child) => {
      if (child.name === 'node') return child;
      const targetName = INSTANCES.get(child.name);
      if (targetName === undefined) return [];
      const target = this.#resolveGeometry(resolveReference(this.#document, child, 'url', [targetName]));
      if (target) return target;
      this.missingCount++;
      return [];
    });
  }

  /** Returns the geometry that a controller deforms, or any other element itself. */
  #resolveGeometry(element: ColladaElement | undefined): ColladaElement | undefined {
    let target = element;
    for (let i = 0; i < MAX_CONTROLLERS && target?.name === 'controller'; i++) {
      const deformer = findChild(target, 'skin') ?? findChild(target, 'morph');
      target = resolveReference(this.#document, deformer, 'source', ['geometry', 'controller']);
    }
    return target?.name === 'controller' ? undefined : target;
  }

  #readParts(geometry: ColladaElement): ScenePart[] {
    const existing = this.#parts.get(geometry);
    if (existing) return existing;
    const parts = readGeometry(this.#document, geometry, this);
    this.#parts.set(geometry, parts);
    return parts;
  }
}
