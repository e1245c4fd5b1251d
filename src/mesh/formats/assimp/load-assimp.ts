import type { Assimp } from 'assimpjs';
import { MeshError } from '../../core/mesh-error.js';
import type { ModelReader, ParsedModel } from '../format.js';
import { type GltfObject, readGltfDocument, readNumberList, readObjects, readString } from '../gltf/gltf-document.js';
import { parseGltfDocument } from '../gltf/gltf-scene.js';
import { callLibrary, loadLibrary, requireSignature, SNIFF_BYTES, silentOutput } from '../libraries/call-library.js';
import { type AffineTransform, yUpToZUp } from '../reading/affine-transform.js';

/** A format that assimp reads. */
interface SceneFormat {
  /** Its name in error messages. */
  name: string;
  /** The extension by which assimp selects its importer. */
  extension: string;
  /** How files of the format begin. Assimp would try other content with every importer that it has. */
  signature: RegExp;
  /**
   * The transform to mm with Z up. Default: Y up without a unit, because assimp converts all formats but FBX to Y up.
   */
  transform?: (bytes: Uint8Array) => AffineTransform;
  /** Returns the file in a form that assimp reads. Default: unchanged. */
  prepare?: (bytes: Uint8Array) => Uint8Array;
}

/** Assimp takes its input byte by byte at 4 MB/s, and needs several times its size in memory. */
const MAX_BYTES = 64 * 1024 * 1024;
// Names that assimp gives to the material of a mesh without one.
const NO_MATERIAL = /^(|DefaultMaterial|%%%DEFAULT|Default|material)$/;

/**
 * Loads the reader of a scene format: assimp (assimpjs), in memory only. It converts the scene to GLB, which the
 * built-in reader parses. Positions are in mm if the format declares units, with Z up.
 */
export async function loadAssimp({
  name,
  extension,
  signature,
  transform,
  prepare,
}: SceneFormat): Promise<ModelReader> {
  const assimp = await loadLibrary(name, 'assimpjs', async () => {
    const { default: create } = await import('assimpjs');
    return create(silentOutput());
  });
  return (content, onProgress) => {
    requireSignature(name, content.subarray(0, SNIFF_BYTES), signature);
    if (content.length > MAX_BYTES) {
      const message = `Could not read the ${name} file: it has ${content.length} bytes, the limit is ${MAX_BYTES / 1024 ** 2} MiB. Save it as GLB or 3MF.`;
      throw new MeshError('TOO_LARGE', message);
    }
    const glb = callLibrary(name, () => convert(assimp, `model.${extension}`, prepare?.(content) ?? content));
    if (typeof glb === 'string') throw new MeshError('FILE_MALFORMED', `Invalid ${name}: ${glb}.`);
    onProgress?.(0.5);
    return readScene(glb, transform?.(content) ?? yUpToZUp(1));
  };
}

/** Converts a file to GLB. Returns the reason as a string if that fails. Provides no other files to assimp. */
function convert(assimp: Assimp, name: string, content: Uint8Array): Uint8Array | string {
  const noContent = new Uint8Array();
  const result = assimp.ConvertFile(
    name,
    'glb2',
    content,
    () => false,
    () => noContent,
  );
  if (!result.IsSuccess()) return result.GetErrorCode().slice(0, 200) || 'assimp cannot parse it';
  return result.FileCount() > 0 ? result.GetFile(0).GetContent().slice() : 'assimp produced no output';
}

function readScene(glb: Uint8Array, transform: AffineTransform): ParsedModel {
  const { json, binary } = readGltfDocument(glb);
  const nodes = readObjects(json, 'nodes').map(readNode);
  const materials = readObjects(json, 'materials').filter(
    (material) => !NO_MATERIAL.test(readString(material, 'name')),
  );
  return parseGltfDocument({ json: { ...json, nodes, materials }, binary }, transform);
}

/** Drops the skin, because assimp positions a skinned mesh by its node, and undoes float32 rounding in the matrix. */
function readNode({ skin: _, ...node }: GltfObject): GltfObject {
  const matrix = readNumberList(node, 'matrix', 16);
  return matrix ? { ...node, matrix: matrix.map(fromFloat32) } : node;
}

/** Returns the shortest decimal that rounds to the same float32: 0.009999999776 becomes 0.01. */
function fromFloat32(value: number): number {
  const short = Number(value.toPrecision(7));
  return Math.fround(short) === Math.fround(value) ? short : value;
}
