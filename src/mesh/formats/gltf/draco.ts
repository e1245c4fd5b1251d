import type { Draco, DracoDecoder, DracoMesh } from 'draco3dgltf/draco_decoder_gltf_nodejs.js';
import { callLibrary, loadLibrary, silentOutput } from '../libraries/call-library.js';
import type { DracoAttributeId, GltfDecoders } from './gltf-buffers.js';
import { malformedGltf } from './gltf-document.js';

const FORMAT = 'Draco-compressed glTF';
const BYTES_PER_VALUE = 4;

/** Loads the decoder of `KHR_draco_mesh_compression` (draco3dgltf by Google). */
export async function loadDraco(): Promise<NonNullable<GltfDecoders['draco']>> {
  const draco = await loadLibrary(FORMAT, 'draco3dgltf', async () => {
    const { default: create } = await import('draco3dgltf/draco_decoder_gltf_nodejs.js');
    return create(silentOutput());
  });
  return (bytes, attributes) =>
    callLibrary(FORMAT, () => {
      const decoder = new draco.Decoder();
      const mesh = new draco.Mesh();
      try {
        const encoded = new Int8Array(bytes.buffer, bytes.byteOffset, bytes.length);
        const status = decoder.DecodeArrayToMesh(encoded, bytes.length, mesh);
        if (!status.ok()) throw malformedGltf(`could not decode the Draco data (${status.error_msg()})`);
        const values = attributes.map((attribute) => readValues(draco, decoder, mesh, attribute));
        return { corners: readCorners(draco, decoder, mesh), values };
      } finally {
        draco.destroy(mesh);
        draco.destroy(decoder);
      }
    });
}

function readValues(
  draco: Draco,
  decoder: DracoDecoder,
  mesh: DracoMesh,
  { name, id, width }: DracoAttributeId,
): Float64Array {
  const attribute = decoder.GetAttributeByUniqueId(mesh, id);
  if (draco.getPointer(attribute) === 0 || attribute.num_components() !== width) {
    throw malformedGltf(`the Draco data have no ${name} attribute ${id}`);
  }
  return withMemory(draco, mesh.num_points() * width * BYTES_PER_VALUE, (offset, byteLength) => {
    decoder.GetAttributeDataArrayForAllPoints(mesh, attribute, draco.DT_FLOAT32, byteLength, offset);
    return Float64Array.from(new Float32Array(draco.HEAPU8.buffer, offset, byteLength / BYTES_PER_VALUE));
  });
}

function readCorners(draco: Draco, decoder: DracoDecoder, mesh: DracoMesh): Uint32Array {
  return withMemory(draco, mesh.num_faces() * 3 * BYTES_PER_VALUE, (offset, byteLength) => {
    decoder.GetTrianglesUInt32Array(mesh, byteLength, offset);
    return new Uint32Array(draco.HEAPU8.buffer, offset, byteLength / BYTES_PER_VALUE).slice();
  });
}

/** Runs `work` with temporarily allocated memory of the library. */
function withMemory<T>(draco: Draco, byteLength: number, work: (offset: number, byteLength: number) => T): T {
  const offset = draco._malloc(byteLength);
  try {
    return work(offset, byteLength);
  } finally {
    draco._free(offset);
  }
}
