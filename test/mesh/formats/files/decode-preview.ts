import { MeshoptDecoder } from 'meshoptimizer/decoder';
import { serializeGlbContainer } from '../../../../src/mesh/formats/gltf/glb-container.js';

/** A primitive of a preview, with positions in mm. */
export interface DecodedPrimitive {
  mode: number;
  positions: Float64Array;
  indices: Uint32Array;
  extras?: { kind: string; count: number; countShown: number };
}

export interface DecodedPreview {
  // biome-ignore lint/suspicious/noExplicitAny: the JSON of a glTF, which the tests read property by property
  json: any;
  /** The primitives of each scene. */
  scenes: DecodedPrimitive[][];
  /** The same glTF without compression, for glTF-Validator. */
  plainGlb: Buffer;
}

/** Decodes the GLB of a preview with the decoder of meshoptimizer. */
export async function decodePreview(glb: Uint8Array): Promise<DecodedPreview> {
  await MeshoptDecoder.ready;
  const bytes = Buffer.from(glb);
  const jsonBytes = bytes.readUInt32LE(12);
  const json = JSON.parse(bytes.subarray(20, 20 + jsonBytes).toString());
  const binary = bytes.subarray(28 + jsonBytes);
  const decoded = new Uint8Array(json.buffers[1].byteLength);
  for (const { byteOffset, byteLength, extensions } of json.bufferViews) {
    const packed = extensions.EXT_meshopt_compression;
    const source = binary.subarray(packed.byteOffset, packed.byteOffset + packed.byteLength);
    const target = new Uint8Array(byteLength);
    MeshoptDecoder.decodeGltfBuffer(target, packed.count, packed.byteStride, source, packed.mode);
    decoded.set(target, byteOffset);
  }
  const toPrimitives = (root: number): DecodedPrimitive[] => {
    const { mesh, translation, scale } = json.nodes[json.nodes[root].children[0]];
    return json.meshes[mesh].primitives.map((primitive: { attributes: { POSITION: number }; indices: number }) => ({
      ...primitive,
      positions: readPositions(json, decoded, primitive.attributes.POSITION).map(
        (value, i) => value * scale[i % 3] + translation[i % 3],
      ),
      indices: readIndices(json, decoded, primitive.indices),
    }));
  };
  return {
    json,
    scenes: json.scenes.map(({ nodes }: { nodes: number[] }) => nodes.flatMap(toPrimitives)),
    plainGlb: serializePlain(json, decoded),
  };
}

// biome-ignore lint/suspicious/noExplicitAny: as above
function readPositions(json: any, decoded: Uint8Array, accessor: number): Float64Array {
  const { bufferView, count } = json.accessors[accessor];
  const words = new Uint16Array(decoded.buffer, json.bufferViews[bufferView].byteOffset, count * 4);
  return Float64Array.from({ length: count * 3 }, (_, i) => words[Math.floor(i / 3) * 4 + (i % 3)] ?? Number.NaN);
}

// biome-ignore lint/suspicious/noExplicitAny: as above
function readIndices(json: any, decoded: Uint8Array, accessor: number): Uint32Array {
  const { bufferView, count } = json.accessors[accessor];
  return new Uint32Array(decoded.buffer, json.bufferViews[bufferView].byteOffset, count);
}

// biome-ignore lint/suspicious/noExplicitAny: as above
function serializePlain(json: any, decoded: Uint8Array): Buffer {
  const extensions = ['KHR_mesh_quantization'];
  const plain = {
    ...json,
    extensionsUsed: extensions,
    extensionsRequired: extensions,
    bufferViews: json.bufferViews.map(({ extensions: _, ...view }: { extensions: object }) => ({ ...view, buffer: 0 })),
    buffers: [{ byteLength: decoded.length }],
  };
  return Buffer.concat([...serializeGlbContainer(plain, decoded.length, [decoded])]);
}
