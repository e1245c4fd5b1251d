/** The fate of a node whose waits no node has claimed. */
export type Successor =
  /** The active node that takes the waits. */
  | { path: string }
  /** `inactive`: the node is disabled, or in a subflow without instances. `removed`: it is in none of the flows. */
  | 'inactive'
  | 'removed';

/** A node of the deployed flows, as far as its place depends on it. */
interface FlowItem {
  id: string;
  type: string;
  z: string;
}

const OWN_TYPE = /^model-processing-/;
const SUBFLOW_TYPE = /^subflow:(.+)$/;
/** The path of nodes that are on no tab. */
const GLOBAL = 'global';

/**
 * The places of nodes in the deployed flows, which tell where a node is after it was moved to another tab, or into a
 * subflow or out of it. A place is a path as `pathOf` returns it. Disabled nodes have places too.
 */
export class NodePlaces {
  readonly #items: FlowItem[];
  /** The id of a tab or subflow → the nodes in it, in flow order. */
  readonly #contents = new Map<string, FlowItem[]>();
  /** The id of a node → its places, in flow order. */
  readonly #places = new Map<string, string[]>();
  readonly #paths = new Set<string>();

  /** `flows`: the nodes of all flows, as Node-RED deploys them. */
  constructor(flows: readonly unknown[]) {
    this.#items = flows.map(toFlowItem);
    const containers = new Set(
      this.#items.filter(({ type }) => type === 'tab' || type === 'subflow').map(({ id }) => id),
    );
    for (const item of this.#items) {
      if (containers.has(item.id)) continue;
      const container = containers.has(item.z) ? item.z : GLOBAL;
      this.#contents.set(container, [...(this.#contents.get(container) ?? []), item]);
    }
    for (const { id, type } of this.#items) if (type === 'tab') this.#addPlaces(id, id, []);
    this.#addPlaces(GLOBAL, GLOBAL, []);
  }

  // `subflows`: those around the container.
  #addPlaces(container: string, path: string, subflows: readonly string[]): void {
    for (const { id, type } of this.#contents.get(container) ?? []) {
      const place = `${path}/${id}`;
      this.#paths.add(place);
      if (OWN_TYPE.test(type)) this.#places.set(id, [...(this.#places.get(id) ?? []), place]);
      const subflow = SUBFLOW_TYPE.exec(type)?.[1];
      // Node-RED does not start a subflow that contains itself.
      if (subflow !== undefined && !subflows.includes(subflow)) this.#addPlaces(subflow, place, [...subflows, subflow]);
    }
  }

  /**
   * Returns the successor of a node by its last path. A node at the same place is its own successor. Otherwise, it is the
   * node with the same id in the same instances of subflows; of several, the first active one in flow order.
   * `activePaths`: the paths of all active nodes.
   */
  findSuccessor(path: string, activePaths: ReadonlySet<string>): Successor {
    if (activePaths.has(path)) return { path };
    const id = lastSegment(path);
    const places = this.#places.get(id) ?? [];
    if (places.includes(path)) return 'inactive';
    // The nodes of subflows that are installed as modules are not in the flows.
    const others = [...activePaths].filter((active) => lastSegment(active) === id && !places.includes(active));
    const candidates = [...places, ...others].map((place) => ({ place, shared: countSharedSegments(place, path) }));
    const maxShared = Math.max(0, ...candidates.map(({ shared }) => shared));
    const nearest = candidates.filter(({ shared }) => shared === maxShared).map(({ place }) => place);
    const active = nearest.find((place) => activePaths.has(place));
    if (active !== undefined) return { path: active };
    return nearest.length > 0 || this.#isKnown(id) || this.#isInModule(path) ? 'inactive' : 'removed';
  }

  #isKnown(id: string): boolean {
    return this.#items.some((item) => item.id === id && OWN_TYPE.test(item.type));
  }

  // Returns whether an instance on the path is of a subflow that is installed as a module.
  #isInModule(path: string): boolean {
    const instances = path.split('/').slice(1, -1);
    return this.#items.some(({ id, type }) => instances.includes(id) && !SUBFLOW_TYPE.test(type));
  }
}

function toFlowItem(node: unknown): FlowItem {
  const { id, type, z } = Object(node);
  return { id: String(id), type: String(type), z: String(z) };
}

function lastSegment(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** Returns the number of segments that two paths have in common at their ends. */
function countSharedSegments(a: string, b: string): number {
  const [left, right] = [a.split('/').reverse(), b.split('/').reverse()];
  const difference = left.findIndex((segment, index) => segment !== right[index]);
  return difference < 0 ? left.length : difference;
}
