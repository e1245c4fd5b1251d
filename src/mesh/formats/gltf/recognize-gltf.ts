import type { Content } from '../recognition/content.js';
import { decodeText } from '../text/decode-text.js';

/** Returns whether content is a GLB. */
export function recognizeGlb({ start }: Content): boolean {
  return start.startsWith('glTF');
}

/** Returns whether content is the JSON of a glTF: an object with the required property `asset`, at any place. */
export function recognizeGltf({ bytes, start }: Content): boolean {
  if (!/^\{\s*"/.test(start)) return false;
  const { buffer, byteOffset, byteLength } = decodeText(bytes);
  const text = Buffer.from(buffer, byteOffset, byteLength);
  return (
    text.includes('"asset"') && ['"meshes"', '"scenes"', '"buffers"', '"nodes"'].some((name) => text.includes(name))
  );
}
