import type { GltfDecoders, MeshoptEncoding } from '../gltf/gltf-buffers.js';
import { malformedGltf } from '../gltf/gltf-document.js';
import { callLibrary, loadLibrary } from './call-library.js';

const FORMAT = 'glTF packed by meshopt';
const MAX_BYTES = 2 ** 31;

// What the specification allows. The decoder trusts that it is asked for nothing else.
const isIndexStride = (stride: number): boolean => stride === 2 || stride === 4;
const MODES: Record<string, (packing: MeshoptEncoding) => boolean> = {
  ATTRIBUTES: ({ stride }) => stride > 0 && stride <= 256 && stride % 4 === 0,
  TRIANGLES: ({ stride, count, filter }) => isIndexStride(stride) && count % 3 === 0 && filter === 'NONE',
  INDICES: ({ stride, filter }) => isIndexStride(stride) && filter === 'NONE',
};
const FILTERS: Record<string, (stride: number) => boolean> = {
  NONE: () => true,
  OCTAHEDRAL: (stride) => stride === 4 || stride === 8,
  QUATERNION: (stride) => stride === 8,
  EXPONENTIAL: () => true,
  COLOR: (stride) => stride === 4 || stride === 8,
};

function isDecodable(packing: MeshoptEncoding): boolean {
  const { count, stride, mode, filter } = packing;
  if (!Object.hasOwn(MODES, mode) || !Object.hasOwn(FILTERS, filter)) return false;
  return MODES[mode](packing) && FILTERS[filter](stride) && count * stride <= MAX_BYTES;
}

/** Makes the decoder of `EXT_meshopt_compression` ready: meshoptimizer's own. */
export async function loadMeshopt(): Promise<NonNullable<GltfDecoders['meshopt']>> {
  const decoder = await loadLibrary(FORMAT, 'meshoptimizer', async () => {
    const { MeshoptDecoder } = await import('meshoptimizer/decoder');
    await MeshoptDecoder.ready;
    return MeshoptDecoder;
  });
  return (bytes, packing) => {
    const { count, stride, mode, filter } = packing;
    if (!isDecodable(packing)) {
      const how = `${mode.slice(0, 20)}, ${filter.slice(0, 20)}`;
      throw malformedGltf(`meshopt packs nothing as ${count} x ${stride} bytes, ${how}`);
    }
    return callLibrary(FORMAT, () => {
      const unpacked = new Uint8Array(count * stride);
      decoder.decodeGltfBuffer(unpacked, count, stride, bytes, mode, filter);
      return unpacked;
    });
  };
}
