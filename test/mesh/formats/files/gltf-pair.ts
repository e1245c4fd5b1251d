import { serializeModel } from '../../../../src/mesh/formats/serialize-model.js';
import { makeCube } from '../../models/cube.js';

/** Returns a glTF of a cube whose buffer is another file, and that file. */
export function gltfPair(uri = 'cube.bin'): { gltf: Buffer; bin: Buffer } {
  const glb = Buffer.concat([...serializeModel(makeCube(), 'glb')]);
  const length = glb.readUInt32LE(12);
  const json = JSON.parse(glb.toString('utf8', 20, 20 + length)); // written by our own writer
  json.buffers[0].uri = uri;
  return { gltf: Buffer.from(JSON.stringify(json)), bin: glb.subarray(28 + length) };
}
