import type { OnProgress } from '../../core/mesh.js';
import type { ParsedModel } from '../format.js';
import { type AffineTransform, compose, IDENTITY } from '../reading/affine-transform.js';
import { createLossWarnings, type Loss } from '../reading/losses.js';
import { SceneBuilder } from '../reading/scene.js';
import { GltfAccessors } from './gltf-accessors.js';
import { GltfBuffers, type GltfDecoders } from './gltf-buffers.js';
import { GltfDeformer } from './gltf-deformer.js';
import {
  type GltfDocument,
  type GltfObject,
  readNatural,
  readNumberList,
  readObjects,
  readString,
} from './gltf-document.js';
import { readInstances } from './gltf-instances.js';
import { type GltfMesh, GltfMeshReader, type GltfPrimitive } from './gltf-mesh-reader.js';
import { type GltfNode, GltfNodes } from './gltf-nodes.js';

/** Parses a document whose scene is transformed by `rootTransform`. Compressed geometry requires its decoder. */
export function parseGltfDocument(
  document: GltfDocument,
  rootTransform: AffineTransform,
  onProgress?: OnProgress,
  decoders: GltfDecoders = {},
): ParsedModel {
  onProgress?.(0.2);
  const { json } = document;
  const buffers = new GltfBuffers(document, decoders);
  const accessors = new GltfAccessors(json, buffers);
  const meshes = new GltfMeshReader(json, accessors, buffers, decoders);
  const nodes = new GltfNodes(json, rootTransform);
  const deformer = new GltfDeformer(json, nodes, accessors);
  const scene = new SceneBuilder();
  for (const node of nodes.inScene) {
    const mesh = readNatural(node.json, 'mesh', undefined);
    if (mesh !== undefined) placeMesh(node, meshes.read(mesh), { accessors, deformer, scene });
  }
  onProgress?.(0.9);
  const { mesh, warnings } = scene.toMesh();
  return { mesh, warnings: [...warnings, ...createLossWarnings([...meshes.losses, ...lossesIn(json)])] };
}

interface Placement {
  accessors: GltfAccessors;
  deformer: GltfDeformer;
  scene: SceneBuilder;
}

/** Places the mesh of a node, once per instance. Instances of a skinned mesh would all be where its joints are. */
function placeMesh({ json, transform }: GltfNode, mesh: GltfMesh, { accessors, deformer, scene }: Placement): void {
  const name = readString(json, 'name') || mesh.name;
  const weights = readNumberList(json, 'weights') ?? mesh.weights;
  const skin = readNatural(json, 'skin', undefined);
  const unskinned: GltfPrimitive[] = [];
  scene.countInstance();
  for (const primitive of mesh.primitives) {
    const morphed = deformer.morph(primitive, weights);
    const skinned = skin === undefined ? undefined : deformer.skin(morphed, skin);
    // A skinned mesh is positioned by its joints, not by its node.
    if (skinned) scene.place(skinned, IDENTITY, name);
    else unskinned.push(morphed);
  }
  const instances = readInstances(json, accessors);
  for (const part of instances ? [] : unskinned) scene.place(part, transform, name);
  for (const instance of instances ?? []) {
    scene.countInstance();
    for (const part of unskinned) scene.place(part, compose(transform, instance), name);
  }
}

function lossesIn(json: GltfObject): Loss[] {
  const has = (key: string): boolean => readObjects(json, key).length > 0;
  const losses: Loss[] = [];
  if (has('materials') || has('textures')) losses.push('MATERIALS_DROPPED');
  if (has('animations') || has('skins')) losses.push('ANIMATION_DROPPED');
  return losses;
}
