import type { OnProgress } from '../../core/mesh.js';
import type { ParsedModel } from '../format.js';
import { type AffineTransform, compose } from '../reading/affine-transform.js';
import { createLossWarnings, type Loss } from '../reading/losses.js';
import { SceneBuilder } from '../reading/scene.js';
import { GltfBuffers, type GltfDecoders } from './gltf-buffers.js';
import {
  type GltfDocument,
  type GltfObject,
  malformedGltf,
  readNatural,
  readNumberList,
  readObjects,
  readString,
} from './gltf-document.js';
import { GltfMeshReader } from './gltf-mesh-reader.js';

interface Visit {
  node: number;
  transform: AffineTransform;
}

/** Parses a document whose scene is transformed by `rootTransform`. Compressed geometry requires its decoder. */
export function parseGltfDocument(
  document: GltfDocument,
  rootTransform: AffineTransform,
  onProgress?: OnProgress,
  decoders: GltfDecoders = {},
): ParsedModel {
  onProgress?.(0.2);
  const { json } = document;
  const reader = new GltfMeshReader(json, new GltfBuffers(document, decoders), decoders);
  const scene = new SceneBuilder();
  placeNodes(json, rootTransform, reader, scene);
  onProgress?.(0.9);
  const { mesh, warnings } = scene.toMesh();
  return { mesh, warnings: [...warnings, ...createLossWarnings([...reader.losses, ...lossesIn(json)])] };
}

/**
 * Places the nodes of the scene with an explicit stack. Throws if a node is reached twice: the nodes of a glTF form a
 * forest.
 */
function placeNodes(
  json: GltfObject,
  rootTransform: AffineTransform,
  reader: GltfMeshReader,
  scene: SceneBuilder,
): void {
  const nodes = readObjects(json, 'nodes');
  const visited = new Uint8Array(nodes.length);
  const visits: Visit[] = rootsOf(json, nodes).map((node) => ({ node, transform: rootTransform }));
  visits.reverse();
  for (let visit = visits.pop(); visit; visit = visits.pop()) {
    const node = nodes[visit.node];
    if (!node || visited[visit.node]) throw malformedGltf(`node ${visit.node} is missing or has two parents`);
    visited[visit.node] = 1;
    const transform = compose(visit.transform, toNodeTransform(node));
    const mesh = readNatural(node, 'mesh', undefined);
    if (mesh !== undefined) {
      scene.countInstance();
      const { name, parts } = reader.read(mesh);
      // A skinned mesh is positioned by its joints, not by its node; in the rest pose, that is the root transform.
      const meshTransform = node.skin === undefined ? transform : rootTransform;
      for (const part of parts) scene.place(part, meshTransform, readString(node, 'name') || name);
    }
    const children = readNumberList(node, 'children') ?? [];
    for (const child of children.toReversed()) visits.push({ node: child, transform });
  }
}

/** Returns the root nodes of the default scene. Without scenes, returns all nodes without a parent. */
function rootsOf(json: GltfObject, nodes: readonly GltfObject[]): number[] {
  const scene = readObjects(json, 'scenes').at(readNatural(json, 'scene', 0));
  if (scene) return readNumberList(scene, 'nodes') ?? [];
  const children = new Set(nodes.flatMap((node) => readNumberList(node, 'children') ?? []));
  return [...nodes.keys()].filter((node) => !children.has(node));
}

/**
 * Returns the transform of a node relative to its parent: its matrix, else its scale, rotation (a quaternion) and
 * translation, applied in this order.
 */
function toNodeTransform(node: GltfObject): AffineTransform {
  const matrix = readNumberList(node, 'matrix', 16);
  if (matrix) return [0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14].map((i) => matrix[i]);
  const [x, y, z, w] = readNumberList(node, 'rotation', 4) ?? [0, 0, 0, 1];
  const [sx, sy, sz] = readNumberList(node, 'scale', 3) ?? [1, 1, 1];
  const translation = readNumberList(node, 'translation', 3) ?? [0, 0, 0];
  return [
    sx * (1 - 2 * (y * y + z * z)),
    sx * 2 * (x * y + z * w),
    sx * 2 * (x * z - y * w),
    sy * 2 * (x * y - z * w),
    sy * (1 - 2 * (x * x + z * z)),
    sy * 2 * (y * z + x * w),
    sz * 2 * (x * z + y * w),
    sz * 2 * (y * z - x * w),
    sz * (1 - 2 * (x * x + y * y)),
    ...translation,
  ];
}

function lossesIn(json: GltfObject): Loss[] {
  const has = (key: string): boolean => readObjects(json, key).length > 0;
  const losses: Loss[] = [];
  if (has('materials') || has('textures')) losses.push('MATERIALS_DROPPED');
  if (has('animations') || has('skins')) losses.push('ANIMATION_DROPPED');
  return losses;
}
