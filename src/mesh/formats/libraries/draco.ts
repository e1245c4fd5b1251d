import type { Draco, DracoDecoder, DracoMesh } from 'draco3dgltf/draco_decoder_gltf_nodejs.js';
import type { GltfDecoders } from '../gltf/gltf-buffers.js';
import { malformedGltf } from '../gltf/gltf-document.js';
import { callLibrary, loadLibrary, silentOutput } from './call-library.js';

const FORMAT = 'glTF packed by Draco';
const BYTES = 4;

/** Makes the decoder of `KHR_draco_mesh_compression` ready: Google's own. */
export async function loadDraco(): Promise<NonNullable<GltfDecoders['draco']>> {
  const draco = await loadLibrary(FORMAT, 'draco3dgltf', async () => {
    const { default: create } = await import('draco3dgltf/draco_decoder_gltf_nodejs.js');
    return create(silentOutput());
  });
  return (bytes, position) =>
    callLibrary(FORMAT, () => {
      const decoder = new draco.Decoder();
      const mesh = new draco.Mesh();
      try {
        const packed = new Int8Array(bytes.buffer, bytes.byteOffset, bytes.length);
        const status = decoder.DecodeArrayToMesh(packed, bytes.length, mesh);
        if (!status.ok()) throw malformedGltf(`what Draco packed cannot be unpacked (${status.error_msg()})`);
        return { points: pointsOf(draco, decoder, mesh, position), corners: cornersOf(draco, decoder, mesh) };
      } finally {
        draco.destroy(mesh);
        draco.destroy(decoder);
      }
    });
}

function pointsOf(draco: Draco, decoder: DracoDecoder, mesh: DracoMesh, position: number): Float64Array {
  const attribute = decoder.GetAttributeByUniqueId(mesh, position);
  if (draco.getPointer(attribute) === 0 || attribute.num_components() !== 3) {
    throw malformedGltf(`what Draco packed has no positions as its attribute ${position}`);
  }
  return withMemory(draco, mesh.num_points() * 3 * BYTES, (offset, byteLength) => {
    decoder.GetAttributeDataArrayForAllPoints(mesh, attribute, draco.DT_FLOAT32, byteLength, offset);
    return Float64Array.from(new Float32Array(draco.HEAPU8.buffer, offset, byteLength / BYTES));
  });
}

const cornersOf = (draco: Draco, decoder: DracoDecoder, mesh: DracoMesh): Uint32Array =>
  withMemory(draco, mesh.num_faces() * 3 * BYTES, (offset, byteLength) => {
    decoder.GetTrianglesUInt32Array(mesh, byteLength, offset);
    return new Uint32Array(draco.HEAPU8.buffer, offset, byteLength / BYTES).slice();
  });

/** Lends memory of the library's own. */
function withMemory<T>(draco: Draco, byteLength: number, work: (offset: number, byteLength: number) => T): T {
  const at = draco._malloc(byteLength);
  try {
    return work(at, byteLength);
  } finally {
    draco._free(at);
  }
}
