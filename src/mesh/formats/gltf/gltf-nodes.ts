import { type AffineTransform, compose } from '../reading/affine-transform.js';
import { type GltfObject, malformedGltf, readNatural, readNumberList, readObjects } from './gltf-document.js';
import { readNodeTransform } from './gltf-transform.js';

interface Visit {
  index: number;
  transform: AffineTransform;
}

/** A node of the scene. */
export interface GltfNode {
  json: GltfObject;
  /** To mm. */
  transform: AffineTransform;
}

/**
 * The nodes of a glTF and their transforms. Throws `FILE_MALFORMED` if a node is reached twice: the nodes of a glTF form
 * a forest.
 */
export class GltfNodes {
  readonly #nodes: readonly GltfObject[];
  readonly #rootTransform: AffineTransform;
  /** node → its transform to mm, once visited */
  readonly #transforms = new Map<number, AffineTransform>();
  /** The nodes of the default scene, each before its children. */
  readonly inScene: readonly GltfNode[];

  constructor(json: GltfObject, rootTransform: AffineTransform) {
    this.#nodes = readObjects(json, 'nodes');
    this.#rootTransform = rootTransform;
    this.inScene = this.#visit(this.#findRoots(json));
  }

  /** Returns the transform of a node to mm, also outside of the scene: joints need not be in it. */
  transformOf(index: number): AffineTransform {
    if (!this.#transforms.has(index)) this.#visit(this.#withoutParents().filter((root) => !this.#transforms.has(root)));
    const transform = this.#transforms.get(index);
    if (!transform) throw malformedGltf(`node ${index} is missing or its own ancestor`);
    return transform;
  }

  /** Visits nodes and all below them with an explicit stack. */
  #visit(roots: readonly number[]): GltfNode[] {
    const visited: GltfNode[] = [];
    const visits: Visit[] = roots.map((index) => ({ index, transform: this.#rootTransform }));
    visits.reverse();
    for (let visit = visits.pop(); visit; visit = visits.pop()) {
      const json = this.#nodes[visit.index];
      if (!json || this.#transforms.has(visit.index))
        throw malformedGltf(`node ${visit.index} is missing or has two parents`);
      const transform = compose(visit.transform, readNodeTransform(json));
      this.#transforms.set(visit.index, transform);
      visited.push({ json, transform });
      const children = readNumberList(json, 'children') ?? [];
      for (const index of children.toReversed()) visits.push({ index, transform });
    }
    return visited;
  }

  /** Returns the root nodes of the default scene. Without scenes, returns all nodes without a parent. */
  #findRoots(json: GltfObject): number[] {
    const scene = readObjects(json, 'scenes').at(readNatural(json, 'scene', 0));
    return scene ? (readNumberList(scene, 'nodes') ?? []) : this.#withoutParents();
  }

  #withoutParents(): number[] {
    const children = new Set(this.#nodes.flatMap((node) => readNumberList(node, 'children') ?? []));
    return [...this.#nodes.keys()].filter((node) => !children.has(node));
  }
}
