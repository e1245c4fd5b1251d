import { createX3dNode, MISSING, MISSING_PROTOTYPE, type X3dNode } from './x3d-node.js';
import type { X3dInstances, X3dPrototype, X3dValues } from './x3d-prototype.js';

/** An instance of a prototype as it is written. */
export interface WrittenInstance {
  /** The name of its prototype. */
  type: string;
  /** Its own name. */
  name: string;
  values: X3dValues;
  connections: ReadonlyMap<string, string>;
}

/**
 * The names of a scene, or of the body of a prototype: prototypes are visible in the bodies within, nodes are not
 * (ISO/IEC 19775-1, 4.4.4 and 4.4.7). A name is known from the end of what it names on, so nothing contains itself.
 */
export class X3dScope {
  readonly #instances: X3dInstances;
  readonly #parent: X3dScope | undefined;
  /** name → prototype; `undefined` for one in another file */
  readonly #prototypes = new Map<string, X3dPrototype | undefined>();
  readonly #nodes = new Map<string, X3dNode>();

  constructor(instances: X3dInstances, parent?: X3dScope) {
    this.#instances = instances;
    this.#parent = parent;
  }

  /** Returns the scope of the body of a prototype that is declared in this one. */
  createBody(): X3dScope {
    return new X3dScope(this.#instances, this);
  }

  /** Declares a prototype; `undefined` for one in another file. */
  declarePrototype(name: string, prototype: X3dPrototype | undefined): void {
    this.#prototypes.set(name, prototype);
  }

  /** Returns whether a prototype of this name is declared, also in another file. */
  hasPrototype(name: string): boolean {
    return this.#prototypes.has(name) || (this.#parent?.hasPrototype(name) ?? false);
  }

  /** Returns the node of a name, or a placeholder. */
  useNode(name: string): X3dNode {
    return this.#nodes.get(name) ?? createX3dNode(MISSING);
  }

  /** Completes a node that is not an instance. Registers its name. */
  completeNode(node: X3dNode, connections: ReadonlyMap<string, string>): void {
    if (this.#parent && (connections.size > 0 || node.children.some(({ template }) => template)))
      node.template = { connections };
    this.#registerName(node, node.name);
  }

  /**
   * Returns an instance, and registers its name. If its values depend on the fields of the prototype in whose body it is,
   * it is created with that one.
   */
  createInstance({ type, name, values, connections }: WrittenInstance): X3dNode {
    const prototype = this.#findPrototype(type);
    const isDependent = connections.size > 0 || [...values.nodes.values()].flat().some(({ template }) => template);
    const node = !prototype
      ? createX3dNode(MISSING_PROTOTYPE, type)
      : this.#parent && isDependent
        ? { ...createX3dNode(type, name), template: { connections, instance: { prototype, values } } }
        : this.#instances.create(prototype, values, name);
    this.#registerName(node, name);
    return node;
  }

  #findPrototype(name: string): X3dPrototype | undefined {
    return this.#prototypes.has(name) || !this.#parent ? this.#prototypes.get(name) : this.#parent.#findPrototype(name);
  }

  #registerName(node: X3dNode, name: string): void {
    if (name !== '') this.#nodes.set(name, node);
  }
}
