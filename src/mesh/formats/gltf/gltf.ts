import type { OnProgress } from '../../core/mesh.js';
import { dropUnusedPoints } from '../drop-unused-points.js';
import type { ParsedModel } from '../parsed-model.js';
import { type AffineTransform, compose, yUpToZUp } from '../reading/affine-transform.js';
import { createLossWarnings, type Loss } from '../reading/losses.js';
import { SceneBuilder, type ScenePart } from '../reading/scene.js';
import { GltfAccessors } from './gltf-accessors.js';
import { GltfBuffers, type GltfDecoders, unsupportedCompressionError } from './gltf-buffers.js';
import {
  type GltfDocument,
  type GltfObject,
  malformedGltf,
  readGltfDocument,
  readNatural,
  readNumberList,
  readObject,
  readObjects,
  readString,
} from './gltf-document.js';
import { gltfNodeTransform } from './gltf-node.js';

const MM_PER_METER = 1000;
const DRACO = 'KHR_draco_mesh_compression';
const TRIANGLES = 4;
const STRIP = 5;
const FAN = 6;

interface Visit {
  node: number;
  transform: AffineTransform;
}

/**
 * Parses a glTF 2.0 or GLB: the triangles of all nodes of the scene, converted from meters with Y up to mm with Z up.
 * Buffers are the GLB chunk or data URIs; a model in several files is rejected with the name of the other file. Skins,
 * morph targets and animations are ignored.
 */
export function parseGltf(bytes: Uint8Array, onProgress?: OnProgress): ParsedModel {
  return parseCompressedGltf(bytes, onProgress, {});
}

/** Parses a glTF like `parseGltf`, and decodes compressed geometry with the given decoders. */
export function parseCompressedGltf(
  bytes: Uint8Array,
  onProgress: OnProgress | undefined,
  decoders: GltfDecoders,
): ParsedModel {
  return parseGltfDocument(readGltfDocument(bytes), yUpToZUp(MM_PER_METER), onProgress, decoders);
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
  const reader = new MeshReader(json, new GltfBuffers(document, decoders), decoders);
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
function placeNodes(json: GltfObject, rootTransform: AffineTransform, reader: MeshReader, scene: SceneBuilder): void {
  const nodes = readObjects(json, 'nodes');
  const visited = new Uint8Array(nodes.length);
  const visits: Visit[] = rootsOf(json, nodes).map((node) => ({ node, transform: rootTransform }));
  visits.reverse();
  for (let visit = visits.pop(); visit; visit = visits.pop()) {
    const node = nodes[visit.node];
    if (!node || visited[visit.node]) throw malformedGltf(`node ${visit.node} is missing or has two parents`);
    visited[visit.node] = 1;
    const transform = compose(visit.transform, gltfNodeTransform(node));
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

/** Reads meshes, each only once. */
class MeshReader {
  readonly losses = new Set<Loss>();
  readonly #meshes: GltfObject[];
  readonly #accessors: GltfAccessors;
  readonly #buffers: GltfBuffers;
  readonly #decoders: GltfDecoders;
  /** accessor → its points, which several parts may share */
  readonly #points = new Map<number, Float64Array>();
  readonly #parsed = new Map<number, { name: string; parts: ScenePart[] }>();

  constructor(json: GltfObject, buffers: GltfBuffers, decoders: GltfDecoders) {
    this.#meshes = readObjects(json, 'meshes');
    this.#accessors = new GltfAccessors(json, buffers);
    this.#buffers = buffers;
    this.#decoders = decoders;
  }

  /** Returns the name and the parts of a mesh. */
  read(index: number): { name: string; parts: ScenePart[] } {
    const existing = this.#parsed.get(index);
    if (existing) return existing;
    const mesh = this.#meshes[index];
    if (!mesh) throw malformedGltf(`there is no mesh ${index}`);
    const parts = readObjects(mesh, 'primitives').flatMap((primitive) => this.#readPart(primitive));
    const parsed = { name: readString(mesh, 'name'), parts };
    this.#parsed.set(index, parsed);
    return parsed;
  }

  #readPart(primitive: GltfObject): ScenePart[] {
    const attributes = readObject(primitive, 'attributes') ?? {};
    if (attributes.COLOR_0 !== undefined) this.losses.add('COLOURS_DROPPED');
    if (primitive.targets !== undefined) this.losses.add('ANIMATION_DROPPED');
    const mode = readNatural(primitive, 'mode', TRIANGLES);
    if (mode < TRIANGLES || mode > FAN) {
      this.losses.add('LINES_DROPPED');
      return [];
    }
    const position = readNatural(attributes, 'POSITION', undefined);
    if (position === undefined) return [];
    const extensions = readObject(primitive, 'extensions') ?? {};
    const compression = Object.keys(extensions).find((name) => name.includes('compression'));
    const decoded = this.#decodeDraco(readObject(extensions, DRACO), position);
    if (decoded) return [decoded];
    if (compression && !this.#accessors.hasBytes(position)) throw unsupportedCompressionError(compression);
    const points = this.#points.get(position) ?? this.#accessors.read(position, 'VEC3');
    this.#points.set(position, points);
    const indices = readNatural(primitive, 'indices', undefined);
    const corners =
      indices === undefined
        ? Float64Array.from({ length: points.length / 3 }, (_, i) => i)
        : this.#accessors.read(indices, 'SCALAR');
    const part = { points, corners: toTriangleList(corners, mode) };
    return [part.corners.length * 3 < points.length ? dropUnusedPoints(part) : part];
  }

  /** Decodes a Draco extension to triangles, whatever the mode of the primitive. */
  #decodeDraco(extension: GltfObject | undefined, position: number): ScenePart | undefined {
    const decode = this.#decoders.draco;
    if (!extension || !decode) return undefined;
    const { bytes } = this.#buffers.view(readNatural(extension, 'bufferView', 0));
    const attributes = readObject(extension, 'attributes') ?? {};
    const { points, corners } = decode(bytes, readNatural(attributes, 'POSITION', 0));
    return { points: this.#accessors.normalize(position, points), corners };
  }
}

/** Returns the corners of separate triangles from a list, a strip (reversing every second one) or a fan. */
function toTriangleList(corners: Float64Array, mode: number): Float64Array {
  if (mode === TRIANGLES) return corners.subarray(0, corners.length - (corners.length % 3));
  const triangles = new Float64Array(Math.max(0, corners.length - 2) * 3);
  for (let i = 0; i + 2 < corners.length; i++) {
    const isReversed = mode === STRIP && i % 2 === 1;
    triangles[i * 3] = corners[mode === FAN ? 0 : isReversed ? i + 1 : i];
    triangles[i * 3 + 1] = corners[isReversed ? i : i + 1];
    triangles[i * 3 + 2] = corners[i + 2];
  }
  return triangles;
}

function lossesIn(json: GltfObject): Loss[] {
  const has = (key: string): boolean => readObjects(json, key).length > 0;
  const losses: Loss[] = [];
  if (has('materials') || has('textures')) losses.push('MATERIALS_DROPPED');
  if (has('animations') || has('skins')) losses.push('ANIMATION_DROPPED');
  return losses;
}
