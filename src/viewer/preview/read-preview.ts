// The decoder in JavaScript: the one in WebAssembly requires 'wasm-unsafe-eval' in the Content-Security-Policy, and
// saves a few milliseconds. A test compares their results.
import { MeshoptDecoder } from '../../../node_modules/meshoptimizer/meshopt_decoder_reference.js';
import type { Report } from '../../api/index.js';
import { PreviewError } from './preview-error.js';

/** Lines or triangles in the coordinates of the grid of a preview. */
export interface Primitive {
  /** vertex * 4 → x, y, z and padding */
  positions: Uint16Array;
  indices: Uint32Array;
}

/** The defects of one kind. */
export interface Defects extends Primitive {
  /** As in the places of a report. */
  kind: string;
  /** The number of such defects in the model. */
  count: number;
  /** The number of those in the preview. */
  countShown: number;
  /** 2 for edges, 3 for triangles. */
  verticesPerElement: 2 | 3;
}

/** The content of a file of the operation `preview`. */
export interface Preview {
  surface: Primitive;
  /** Absent if the surface is small. */
  coarseSurface: Primitive | undefined;
  defects: Defects[];
  /** The position of the grid coordinates 0, in mm. */
  originMm: readonly [number, number, number];
  stepMm: number;
  report: Report;
  /** The number of triangles of the model. */
  triangles: number;
  trianglesShown: number;
  deviationMm: number;
}

const GLB_MAGIC = 0x46546c67;
const HEADER_BYTES = 12;
const CHUNK_HEADER_BYTES = 8;
const LINES = 1;
const NO_SURFACE: Primitive = { positions: new Uint16Array(), indices: new Uint32Array() };

interface CompressedView {
  extensions: {
    EXT_meshopt_compression: {
      byteOffset: number;
      byteLength: number;
      byteStride: number;
      count: number;
      mode: string;
      filter?: string;
    };
  };
}

interface PreviewJson {
  asset: { extras: Pick<Preview, 'report' | 'triangles' | 'trianglesShown' | 'deviationMm'> };
  nodes?: { mesh?: number; translation?: [number, number, number]; scale?: [number, number, number] }[];
  /** Absent in the preview of a model without triangles, as are `accessors` and `bufferViews`. */
  meshes?: {
    primitives: {
      attributes: { POSITION: number };
      indices: number;
      mode: number;
      extras?: Pick<Defects, 'kind' | 'count' | 'countShown'>;
    }[];
  }[];
  accessors?: { bufferView: number }[];
  bufferViews?: CompressedView[];
}

/**
 * Reads a file of the operation `preview` (GLB with `EXT_meshopt_compression`). Hand-written, because the loader of
 * three adds 80 kB and converts positions to floats. Throws a PreviewError.
 */
export function readPreview(bytes: Uint8Array): Preview {
  try {
    // The decoder changes what slice() of a Buffer of Node returns, which is not a copy.
    const { json, binary } = splitChunks(new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength));
    return toPreview(json, binary);
  } catch (error) {
    if (error instanceof PreviewError) throw error;
    throw new PreviewError('the file is damaged', { cause: error });
  }
}

function splitChunks(bytes: Uint8Array): { json: PreviewJson; binary: Uint8Array } {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length < HEADER_BYTES + CHUNK_HEADER_BYTES || view.getUint32(0, true) !== GLB_MAGIC)
    throw new PreviewError('the file is not a GLB');
  const jsonStart = HEADER_BYTES + CHUNK_HEADER_BYTES;
  const jsonEnd = jsonStart + view.getUint32(HEADER_BYTES, true);
  const json: PreviewJson = JSON.parse(new TextDecoder().decode(bytes.subarray(jsonStart, jsonEnd)));
  return { json, binary: bytes.subarray(jsonEnd + CHUNK_HEADER_BYTES) };
}

function toPreview(json: PreviewJson, binary: Uint8Array): Preview {
  const { report, triangles, trianglesShown, deviationMm } = json.asset.extras;
  const { nodes = [], meshes = [] } = json;
  const node = nodes.find(({ mesh }) => mesh === 0);
  const [main, coarse] = meshes.map(({ primitives }) =>
    primitives.map((primitive) => ({ ...primitive, ...decodePrimitive(json, binary, primitive) })),
  );
  const [surface = trianglesShown === 0 ? NO_SURFACE : undefined, ...rest] = main ?? [];
  if (!surface) throw new PreviewError('the file has no surface');
  const defects = rest.flatMap(({ extras, mode, positions, indices }): Defects[] =>
    extras ? [{ ...extras, positions, indices, verticesPerElement: mode === LINES ? 2 : 3 }] : [],
  );
  return {
    surface,
    coarseSurface: coarse?.[0],
    defects,
    originMm: node?.translation ?? [0, 0, 0],
    stepMm: node?.scale?.[0] ?? 1,
    ...{ report, triangles, trianglesShown, deviationMm },
  };
}

function decodePrimitive(
  { accessors = [], bufferViews = [] }: PreviewJson,
  binary: Uint8Array,
  { attributes, indices }: { attributes: { POSITION: number }; indices: number },
): Primitive {
  const decode = (accessor: number): ArrayBuffer => {
    const view = bufferViews[accessors[accessor]?.bufferView ?? -1];
    if (!view) throw new PreviewError('the file has no such buffer');
    return decodeView(view, binary);
  };
  return { positions: new Uint16Array(decode(attributes.POSITION)), indices: new Uint32Array(decode(indices)) };
}

function decodeView({ extensions }: CompressedView, binary: Uint8Array): ArrayBuffer {
  const { byteOffset, byteLength, byteStride, count, mode, filter } = extensions.EXT_meshopt_compression;
  const target = new Uint8Array(count * byteStride);
  const source = binary.subarray(byteOffset, byteOffset + byteLength);
  MeshoptDecoder.decodeGltfBuffer(target, count, byteStride, source, mode, filter);
  return target.buffer;
}
