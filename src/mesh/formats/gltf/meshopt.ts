import { callLibrary, loadLibrary } from '../libraries/call-library.js';
import type { GltfDecoders, MeshoptEncoding } from './gltf-buffers.js';
import { malformedGltf } from './gltf-document.js';

const FORMAT = 'meshopt-compressed glTF';
const MAX_BYTES = 2 ** 31;

// The combinations that the specification allows. The decoder does not check them.
function isIndexStride(stride: number): boolean {
  return stride === 2 || stride === 4;
}
const MODES: Record<string, (encoding: MeshoptEncoding) => boolean> = {
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

function isDecodable(encoding: MeshoptEncoding): boolean {
  const { count, stride, mode, filter } = encoding;
  if (!Object.hasOwn(MODES, mode) || !Object.hasOwn(FILTERS, filter)) return false;
  return MODES[mode](encoding) && FILTERS[filter](stride) && count * stride <= MAX_BYTES;
}

/** Loads the decoder of `EXT_meshopt_compression` (meshoptimizer). */
export async function loadMeshopt(): Promise<NonNullable<GltfDecoders['meshopt']>> {
  const decoder = await loadLibrary(FORMAT, 'meshoptimizer', async () => {
    const { MeshoptDecoder } = await import('meshoptimizer/decoder');
    await MeshoptDecoder.ready;
    return MeshoptDecoder;
  });
  return (bytes, encoding) => {
    const { count, stride, mode, filter } = encoding;
    if (!isDecodable(encoding)) {
      const variant = `${mode.slice(0, 20)}, ${filter.slice(0, 20)}`;
      throw malformedGltf(`invalid meshopt encoding: ${count} x ${stride} bytes, ${variant}`);
    }
    return callLibrary(FORMAT, () => {
      const decoded = new Uint8Array(count * stride);
      decoder.decodeGltfBuffer(decoded, count, stride, bytes, mode, filter);
      return decoded;
    });
  };
}
