import { MeshError } from '../../core/mesh-error.js';
import { createX3dNode, HIDDEN_FIELDS, type X3dNode } from './x3d-node.js';

/** Values of the fields of a prototype: their defaults, or those of an instance. */
export interface X3dValues {
  /** field → its numbers */
  numbers: Map<string, Float64Array>;
  /** field → its Boolean */
  booleans: Map<string, boolean>;
  /** field → its nodes */
  nodes: Map<string, X3dNode[]>;
}

/** A prototype (ISO/IEC 19775-1, 4.4.4). */
export interface X3dPrototype {
  /** The first node of its body, which an instance is. The others are not shown. */
  root: X3dNode | undefined;
  defaults: X3dValues;
}

/** What an instance of a prototype fills in in a node of its body, or in one of the children. */
export interface X3dTemplate {
  /** field of the node → field of the prototype that has its value (`IS`) */
  connections: ReadonlyMap<string, string>;
  /** Set if the node is itself an instance, of another prototype. */
  instance?: { prototype: X3dPrototype; values: X3dValues };
}

const MAX_COPIES = 100_000;
const MAX_DEPTH = 1000;

/** Creates values of no field. */
export function createX3dValues(): X3dValues {
  return { numbers: new Map(), booleans: new Map(), nodes: new Map() };
}

/**
 * Creates instances of the prototypes of a document. Nodes that depend on no field are shared by all instances. No
 * prototype can contain itself, because its name is known only after its body. Throws `TOO_LARGE` for more than 100,000
 * copied nodes or copies that nest deeper than 1,000, because prototypes may contain each other many times.
 */
export class X3dInstances {
  #copyCount = 0;

  /** Returns an instance: the root of the body with the values of its fields. */
  create({ root, defaults }: X3dPrototype, values: X3dValues, name: string, depth = 0): X3dNode {
    if (!root) return createX3dNode('Group', name);
    const merged: X3dValues = {
      numbers: new Map([...defaults.numbers, ...values.numbers]),
      booleans: new Map([...defaults.booleans, ...values.booleans]),
      nodes: new Map([...defaults.nodes, ...values.nodes]),
    };
    const instance = this.#copy(root, merged, new Map(), depth + 1);
    return name === '' ? instance : { ...instance, name };
  }

  #copy(node: X3dNode, values: X3dValues, copies: Map<X3dNode, X3dNode>, depth: number): X3dNode {
    const { template } = node;
    if (!template) return node;
    const existing = copies.get(node);
    if (existing) return existing;
    if (depth > MAX_DEPTH) throw tooLargeError(`nest deeper than ${MAX_DEPTH}`);
    if (++this.#copyCount > MAX_COPIES) throw tooLargeError(`have more than ${MAX_COPIES} nodes`);
    const copyAll = (nodes: readonly X3dNode[]) => nodes.map((child) => this.#copy(child, values, copies, depth + 1));
    let copy: X3dNode;
    if (template.instance) {
      const { prototype, values: own } = template.instance;
      const nodes = new Map([...own.nodes].map(([field, all]) => [field, copyAll(all)]));
      const inner = { numbers: new Map(own.numbers), booleans: new Map(own.booleans), nodes };
      connect(template.connections, values, inner, (field, all) => nodes.set(field, all));
      copy = this.create(prototype, inner, node.name, depth + 1);
    } else {
      const children = copyAll(node.children);
      const { type, name } = node;
      copy = { type, name, numbers: new Map(node.numbers), booleans: new Map(node.booleans), children };
      connect(template.connections, values, copy, (field, all) => {
        if (!HIDDEN_FIELDS.includes(field)) children.push(...all);
      });
    }
    copies.set(node, copy);
    return copy;
  }
}

/** Sets the connected fields of a node or instance. A field of the prototype without a value sets nothing. */
function connect(
  connections: ReadonlyMap<string, string>,
  values: X3dValues,
  target: Pick<X3dValues, 'numbers' | 'booleans'>,
  setNodes: (field: string, nodes: X3dNode[]) => void,
): void {
  for (const [field, source] of connections) {
    const numbers = values.numbers.get(source);
    const boolean = values.booleans.get(source);
    const nodes = values.nodes.get(source);
    if (numbers) target.numbers.set(field, numbers);
    if (boolean !== undefined) target.booleans.set(field, boolean);
    if (nodes) setNodes(field, nodes);
  }
}

function tooLargeError(reason: string): MeshError {
  return new MeshError('TOO_LARGE', `Could not read the file: its prototypes ${reason}.`);
}
