import type { AffineTransform } from '../reading/affine-transform.js';
import { DeformationLimit } from '../reading/deform-points.js';
import { reverseCorners } from '../reading/reverse-corners.js';
import type { ScenePart } from '../reading/scene.js';
import { type ColladaDocument, type ColladaElement, findChild, resolveReference } from './collada-element.js';
import { type GeometryFindings, readGeometry } from './collada-geometry.js';
import { ColladaJoints } from './collada-joints.js';
import { morphPoints } from './collada-morph.js';
import { applySkin, type ColladaSkin, readSkin } from './collada-skin.js';

/** The longest chain of controllers: a skin of a morph of a geometry. */
const MAX_CONTROLLERS = 4;
/** Triangulating a polygon again takes the time of so many movements of a point, for each corner. */
const MOVEMENTS_PER_CORNER = 4;

/** Where a controller is instanced. */
export interface ControllerInstance {
  /** The `instance_controller`. */
  element: ColladaElement;
  /** The nodes that are instanced around it → the transforms of these instances to mm. */
  instances: ReadonlyMap<ColladaElement, AffineTransform>;
}

/** The geometry of a controller. */
export interface ControlledGeometry {
  geometry: ColladaElement;
  parts: ScenePart[];
  /** Whether the points are in mm, since joints placed them; else the node places them. */
  isPlacedByJoints: boolean;
}

/** Reads geometry that controllers deform: by morph targets, then by a skin, in the pose of the nodes. */
export class ColladaControllers {
  readonly #document: ColladaDocument;
  readonly #rootTransform: AffineTransform;
  readonly #findings: GeometryFindings;
  readonly #limit = new DeformationLimit();
  readonly #skins = new Map<ColladaElement, ColladaSkin>();
  /** controller without joints → its geometry */
  readonly #unplaced = new Map<ColladaElement, ControlledGeometry>();
  #joints: ColladaJoints | undefined;

  constructor(document: ColladaDocument, rootTransform: AffineTransform, findings: GeometryFindings) {
    this.#document = document;
    this.#rootTransform = rootTransform;
    this.#findings = findings;
  }

  /** Returns the deformed geometry of a controller, or `undefined` if the document does not contain it. */
  read(controller: ColladaElement, instance: ControllerInstance): ControlledGeometry | undefined {
    const existing = this.#unplaced.get(controller);
    if (existing) return existing;
    const { geometry, skin, morphs } = this.#resolve(controller);
    if (!geometry) return undefined;
    let isPlacedByJoints = false;
    let isMirrored = false;
    const parts = readGeometry(this.#document, geometry, this.#findings, (source) => {
      const points = morphs.reduce((moved, morph) => this.#morph(morph, moved), source);
      if (!skin) return points;
      const skinned = this.#skin(skin, points, instance);
      isPlacedByJoints ||= skinned.isPlacedByJoints;
      isMirrored ||= skinned.isMirrored;
      return skinned.points;
    });
    for (const { corners } of parts) this.#limit.add(corners.length * MOVEMENTS_PER_CORNER);
    const oriented = isMirrored ? parts.map((part) => ({ ...part, corners: reverseCorners(part.corners) })) : parts;
    const controlled = { geometry, parts: oriented, isPlacedByJoints };
    if (!isPlacedByJoints) this.#unplaced.set(controller, controlled);
    return controlled;
  }

  /** Follows the sources of a controller to its geometry. The outermost skin counts. */
  #resolve(controller: ColladaElement) {
    const morphs: ColladaElement[] = [];
    let skin: ColladaElement | undefined;
    let target: ColladaElement | undefined = controller;
    for (let i = 0; i < MAX_CONTROLLERS && target?.name === 'controller'; i++) {
      const morph = findChild(target, 'morph');
      const deformer: ColladaElement | undefined = findChild(target, 'skin') ?? morph;
      if (deformer === morph && morph) morphs.unshift(morph);
      else skin ??= deformer;
      target = resolveReference(this.#document, deformer, 'source', ['geometry', 'controller']);
    }
    return { geometry: target?.name === 'geometry' ? target : undefined, skin, morphs };
  }

  #morph(morph: ColladaElement, points: Float64Array): Float64Array {
    return morphPoints(this.#document, morph, points, this.#limit, () => {
      this.#findings.missingCount++;
    });
  }

  #skin(element: ColladaElement, points: Float64Array, { element: instance, instances }: ControllerInstance) {
    const skin = this.#skins.get(element) ?? readSkin(this.#document, element);
    this.#skins.set(element, skin);
    this.#joints ??= new ColladaJoints(this.#document, this.#rootTransform, this.#limit);
    const joints = this.#joints;
    const skeletons = instance.children.flatMap(({ name, text }) => {
      const node =
        name === 'skeleton' ? this.#document.elements.get(`node ${text.trim().replace(/^#/, '')}`) : undefined;
      return node ?? [];
    });
    const findTransform = (name: string, isId: boolean): AffineTransform | undefined => {
      const joint = joints.find(name, isId, skeletons);
      if (!joint) this.#findings.missingCount++;
      return joint && joints.transformOf(joint, instances);
    };
    return applySkin(skin, points, this.#rootTransform, findTransform, this.#limit);
  }
}
