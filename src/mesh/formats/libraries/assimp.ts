import type { Assimp } from 'assimpjs';
import { MeshError } from '../../core/mesh-error.js';
import { type AffineTransform, yUpToZUp } from '../affine-transform.js';
import { decodeUtf16 } from '../decode-utf16.js';
import { parseGltfDocument } from '../gltf/gltf.js';
import { type GltfObject, readGltfDocument, readNumberList, readObjects, readString } from '../gltf/gltf-document.js';
import type { ModelReader, ParsedModel } from '../parsed-model.js';
import { callLibrary, loadLibrary, silentOutput } from './call-library.js';
import { readFbxPlacement } from './fbx-settings.js';
import { unpackZae } from './zae.js';

interface SceneFormat {
  /** The extension by which the library chooses its reader. */
  extension: string;
  /** How files of the format begin; what begins otherwise would be tried as every format that the library knows. */
  signature: RegExp;
  /** The library turns all but FBX to Y up. */
  transform?: (bytes: Uint8Array) => AffineTransform;
  unpack?: (bytes: Uint8Array) => Uint8Array;
}

const MM_PER_METRE = 1000;
const COLLADA = /^(?:\u00ef\u00bb\u00bf)?\s*<[\s\S]*<(?:\w+:)?COLLADA\b/;

const SCENE_FORMATS = {
  FBX: { extension: 'fbx', signature: /^Kaydara FBX Binary|FBXHeaderExtension/, transform: readFbxPlacement },
  Collada: { extension: 'dae', signature: COLLADA, transform: () => yUpToZUp(MM_PER_METRE) },
  ZAE: { extension: 'dae', signature: COLLADA, transform: () => yUpToZUp(MM_PER_METRE), unpack: unpackZae },
  '3DS': { extension: '3ds', signature: /^MM/ },
  LWO: { extension: 'lwo', signature: /^FORM[\s\S]{4}LWO[2B]/ },
  AC3D: { extension: 'ac', signature: /^AC3D/ },
  ASE: { extension: 'ase', signature: /^\s*\*3DSMAX_ASCIIEXPORT/i },
  'DirectX X': { extension: 'x', signature: /^xof / },
} satisfies Record<string, SceneFormat>;

/** The formats that assimp reads for us. */
export type SceneFormatName = keyof typeof SCENE_FORMATS;

/** The library takes its input byte by byte, 4 MB a second, and several times its size in memory. */
const MAX_BYTES = 64 * 1024 * 1024;
const LOOKED_AT = 4096;
// What the library calls the material of a mesh that has none.
const NO_MATERIAL = /^(|DefaultMaterial|%%%DEFAULT|Default|material)$/;

/**
 * Makes the reader of one scene format ready: assimp, as assimpjs brings it, from and to memory only. It gives the scene as a GLB, and our own
 * reader reads that. Positions are in mm where the format has units, Z up.
 */
export async function loadAssimp(format: SceneFormatName): Promise<ModelReader> {
  const assimp = await loadLibrary(format, 'assimpjs', async () => {
    const { default: create } = await import('assimpjs');
    return create(silentOutput());
  });
  const { extension, signature, transform, unpack }: SceneFormat = SCENE_FORMATS[format];
  return (bytes, onProgress) => {
    const content = unpack?.(bytes) ?? bytes;
    const start = new TextDecoder('latin1').decode(decodeUtf16(content.subarray(0, LOOKED_AT)));
    if (!signature.test(start)) throw new MeshError('FILE_MALFORMED', `This is no ${format}: it begins otherwise`);
    if (content.length > MAX_BYTES) {
      const message = `A ${format} file may have ${MAX_BYTES / 1024 ** 2} MiB, this one has ${content.length} bytes: save it as GLB or 3MF`;
      throw new MeshError('TOO_LARGE', message);
    }
    const glb = callLibrary(format, () => convert(assimp, `model.${extension}`, content));
    if (typeof glb === 'string') throw new MeshError('FILE_MALFORMED', `This is no sound ${format}: ${glb}`);
    onProgress?.(0.5);
    return readScene(glb, transform?.(content) ?? yUpToZUp(1));
  };
}

/** The file as a GLB, or why it is none. No other file is there for it. */
function convert(assimp: Assimp, name: string, content: Uint8Array): Uint8Array | string {
  const nothing = new Uint8Array();
  const result = assimp.ConvertFile(
    name,
    'glb2',
    content,
    () => false,
    () => nothing,
  );
  if (!result.IsSuccess()) return result.GetErrorCode().slice(0, 200) || 'its reader refuses it';
  return result.FileCount() > 0 ? result.GetFile(0).GetContent().slice() : 'its reader made nothing of it';
}

function readScene(glb: Uint8Array, transform: AffineTransform): ParsedModel {
  const { json, binary } = readGltfDocument(glb);
  const nodes = readObjects(json, 'nodes').map(readNode);
  const materials = readObjects(json, 'materials').filter((one) => !NO_MATERIAL.test(readString(one, 'name')));
  return parseGltfDocument({ json: { ...json, nodes, materials }, binary }, transform);
}

/** A mesh with bones stands where its node is, as the library has it; numbers that were rounded to 32 bits are the plain ones again. */
function readNode({ skin: _, ...node }: GltfObject): GltfObject {
  const matrix = readNumberList(node, 'matrix', 16);
  return matrix ? { ...node, matrix: matrix.map(fromFloat32) } : node;
}

/** 0.009999999776 is 0.01 in 32 bits. */
function fromFloat32(value: number): number {
  const short = Number(value.toPrecision(7));
  return Math.fround(short) === Math.fround(value) ? short : value;
}
