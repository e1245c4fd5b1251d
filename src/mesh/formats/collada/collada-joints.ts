import { MeshError } from '../../core/mesh-error.js';
import { type AffineTransform, compose, IDENTITY } from '../reading/affine-transform.js';
import type { DeformationLimit } from '../reading/deform-points.js';
import { type ColladaDocument, type ColladaElement, MAX_DEPTH, resolveReference } from './collada-element.js';
import { readNodeTransform } from './collada-transform.js';

/** Elements that contain nodes. */
const CONTAINERS = new Set(['library_visual_scenes', 'visual_scene', 'library_nodes', 'node']);
/** A transform takes at most the time of a hundred movements of a point. */
const MOVEMENTS_PER_TRANSFORM = 100;

/** Finds the joints of skins, and where they are. */
export class ColladaJoints {
  readonly #document: ColladaDocument;
  readonly #rootTransform: AffineTransform;
  readonly #limit: DeformationLimit;
  /** node → the node that contains it or, for one of a library, its first instance */
  readonly #parents = new Map<ColladaElement, ColladaElement>();
  /** node → its transform relative to its parent */
  readonly #locals = new Map<ColladaElement, AffineTransform>();
  /** name → the first node with it */
  readonly #named = new Map<string, ColladaElement>();
  /** element → the nodes in it by their scoped ids (sid) */
  readonly #scopes = new Map<ColladaElement, Map<string, ColladaElement>>();

  constructor(document: ColladaDocument, rootTransform: AffineTransform, limit: DeformationLimit) {
    this.#document = document;
    this.#rootTransform = rootTransform;
    this.#limit = limit;
    const nodes = nodesIn(document.root);
    for (const node of nodes) {
      const name = node.attributes.get('name');
      if (name !== undefined && !this.#named.has(name)) this.#named.set(name, node);
      for (const child of node.children) if (child.name === 'node') this.#parents.set(child, node);
    }
    for (const node of nodes) {
      for (const child of node.children) {
        const target = child.name === 'instance_node' ? resolveReference(document, child, 'url', ['node']) : undefined;
        if (target && !this.#parents.has(target)) this.#parents.set(target, node);
      }
    }
  }

  /**
   * Returns the node of a joint: by its sid below one of the skeletons, else by its sid, id or name in the document.
   * Programs write ids or names where sids belong. An id is looked up as one first.
   */
  find(joint: string, isId: boolean, skeletons: readonly ColladaElement[]): ColladaElement | undefined {
    this.#limit.add(MOVEMENTS_PER_TRANSFORM * (skeletons.length + 1));
    const byId = this.#document.elements.get(`node ${joint}`);
    if (isId && byId) return byId;
    for (const element of [...skeletons, this.#document.root]) {
      const match = this.#scopeOf(element).get(joint);
      if (match) return match;
    }
    return byId ?? this.#named.get(joint);
  }

  /**
   * Returns the transform of a node to mm.
   *
   * @param instances the nodes whose instances contain the skin → the transform of the instance to mm
   */
  transformOf(node: ColladaElement, instances: ReadonlyMap<ColladaElement, AffineTransform>): AffineTransform {
    let transform: AffineTransform = IDENTITY;
    let depth = 0;
    for (let current: ColladaElement | undefined = node; current; current = this.#parents.get(current)) {
      this.#limit.add(MOVEMENTS_PER_TRANSFORM);
      if (++depth > MAX_DEPTH)
        throw new MeshError('TOO_LARGE', `Could not read the Collada: nodes nest deeper than ${MAX_DEPTH}.`);
      transform = compose(this.#localOf(current), transform);
      const instance = instances.get(current);
      if (instance) return compose(instance, transform);
    }
    return compose(this.#rootTransform, transform);
  }

  #localOf(node: ColladaElement): AffineTransform {
    const local = this.#locals.get(node) ?? readNodeTransform(node);
    this.#locals.set(node, local);
    return local;
  }

  #scopeOf(element: ColladaElement): ReadonlyMap<string, ColladaElement> {
    const existing = this.#scopes.get(element);
    if (existing) return existing;
    const scope = new Map<string, ColladaElement>();
    for (const node of nodesIn(element)) {
      const sid = node.attributes.get('sid');
      if (sid !== undefined && !scope.has(sid)) scope.set(sid, node);
    }
    this.#scopes.set(element, scope);
    return scope;
  }
}

/** Returns the nodes in an element and, if it is a node, itself, each before its children. */
function nodesIn(element: ColladaElement): ColladaElement[] {
  const nodes: ColladaElement[] = [];
  const pending = [element];
  for (let next = pending.pop(); next; next = pending.pop()) {
    if (next.name === 'node') nodes.push(next);
    for (const child of next.children.toReversed()) if (CONTAINERS.has(child.name)) pending.push(child);
  }
  return nodes;
}
