import createDracoEncoder from 'draco3dgltf/draco_encoder_gltf_nodejs.js';
import { MeshoptEncoder } from 'meshoptimizer';
import { BOX_POINTS_Y_UP, BOX_TRIANGLES } from './box.js';

const FLOAT = 5126;
const WORD = 5123;
const POINTS = new Float32Array(BOX_POINTS_Y_UP.flat());
const CORNERS = new Uint16Array(BOX_TRIANGLES.flat());

/** Returns a GLB of this JSON and binary data. */
function glbOf(json: object, binary: Uint8Array): Buffer {
  const chunk = (kind: number, content: Uint8Array, filler: number): Buffer => {
    const length = Math.ceil(content.length / 4) * 4;
    const head = Buffer.from(new Uint32Array([length, kind]).buffer);
    return Buffer.concat([head, content, Buffer.alloc(length - content.length, filler)]);
  };
  const body = [chunk(0x4e4f534a, Buffer.from(JSON.stringify(json)), 0x20), chunk(0x004e4942, binary, 0)];
  const length = 12 + body.reduce((sum, part) => sum + part.length, 0);
  return Buffer.concat([Buffer.from(new Uint32Array([0x46546c67, 2, length]).buffer), ...body]);
}

function scene(extension: string, primitive: object) {
  return {
    asset: { version: '2.0' },
    extensionsUsed: [extension],
    extensionsRequired: [extension],
    nodes: [{ mesh: 0, name: 'lid', scale: [0.001, 0.001, 0.001] }],
    meshes: [{ primitives: [{ attributes: { POSITION: 0 }, indices: 1, ...primitive }] }],
  };
}

/**
 * Returns a GLB of the box in mm, compressed with Draco. `attribute` is the declared id of its positions. If it is
 * skinned, its joint is 10 mm to the right.
 */
export async function dracoBox(attribute = 0, isSkinned = false): Promise<Buffer> {
  const draco = await createDracoEncoder({});
  const [encoder, builder, mesh] = [new draco.Encoder(), new draco.MeshBuilder(), new draco.Mesh()];
  builder.AddFacesToMesh(mesh, CORNERS.length / 3, new Uint32Array(CORNERS));
  builder.AddFloatAttributeToMesh(mesh, draco.POSITION, POINTS.length / 3, 3, POINTS);
  if (isSkinned) {
    const pointCount = POINTS.length / 3;
    const weights = Float32Array.from({ length: pointCount * 4 }, (_, i) => (i % 4 === 0 ? 1 : 0));
    builder.AddUInt8Attribute(mesh, draco.GENERIC, pointCount, 4, new Uint8Array(pointCount * 4));
    builder.AddFloatAttributeToMesh(mesh, draco.GENERIC, pointCount, 4, weights);
  }
  const packed = new draco.DracoInt8Array();
  const length = encoder.EncodeMeshToDracoBuffer(mesh, packed);
  const bytes = Uint8Array.from({ length }, (_, i) => packed.GetValue(i));
  const influences = isSkinned ? { JOINTS_0: 1, WEIGHTS_0: 2 } : {};
  const KHR_draco_mesh_compression = { bufferView: 0, attributes: { POSITION: attribute, ...influences } };
  const joint = { translation: [0.01, 0, 0], scale: [0.001, 0.001, 0.001] };
  const json = {
    ...scene('KHR_draco_mesh_compression', { extensions: { KHR_draco_mesh_compression } }),
    ...(isSkinned && { nodes: [{ mesh: 0, skin: 0, name: 'lid' }, joint], skins: [{ joints: [1] }] }),
    accessors: [
      { componentType: FLOAT, count: POINTS.length / 3, type: 'VEC3' },
      { componentType: WORD, count: CORNERS.length, type: 'SCALAR' },
    ],
    bufferViews: [{ buffer: 0, byteLength: length }],
    buffers: [{ byteLength: length }],
  };
  return glbOf(json, bytes);
}

/**
 * Returns a GLB of the box in mm, compressed with meshopt. `more` overrides properties of its compressed buffer view.
 */
export async function meshoptBox(more: object = {}): Promise<Buffer> {
  await MeshoptEncoder.ready;
  const points = MeshoptEncoder.encodeGltfBuffer(new Uint8Array(POINTS.buffer), POINTS.length / 3, 12, 'ATTRIBUTES');
  const corners = MeshoptEncoder.encodeGltfBuffer(new Uint8Array(CORNERS.buffer), CORNERS.length, 2, 'TRIANGLES');
  const view = (packed: object, byteLength: number) => ({
    buffer: 1,
    byteLength,
    extensions: { EXT_meshopt_compression: { buffer: 0, ...packed } },
  });
  const pointsAt = { byteOffset: 0, byteLength: points.length, byteStride: 12, count: 8, mode: 'ATTRIBUTES', ...more };
  const cornersAt = {
    byteOffset: points.length,
    byteLength: corners.length,
    byteStride: 2,
    count: 36,
    mode: 'TRIANGLES',
  };
  const json = {
    ...scene('EXT_meshopt_compression', {}),
    accessors: [
      { bufferView: 0, componentType: FLOAT, count: POINTS.length / 3, type: 'VEC3' },
      { bufferView: 1, componentType: WORD, count: CORNERS.length, type: 'SCALAR' },
    ],
    bufferViews: [view(pointsAt, POINTS.byteLength), view(cornersAt, CORNERS.byteLength)],
    buffers: [
      { byteLength: points.length + corners.length },
      { byteLength: 1000, extensions: { EXT_meshopt_compression: { fallback: true } } },
    ],
  };
  return glbOf(json, Buffer.concat([points, corners]));
}
