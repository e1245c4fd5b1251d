import { BOX_FACES, BOX_POINTS, BOX_POINTS_Y_UP, BOX_TRIANGLES } from './box.js';

/** A piece of a 3DS: a number, its length, what is in it. */
const chunk = (id: number, ...content: Uint8Array[]): Buffer => {
  const head = Buffer.alloc(6);
  head.writeUInt16LE(id, 0);
  head.writeUInt32LE(6 + content.reduce((sum, { length }) => sum + length, 0), 2);
  return Buffer.concat([head, ...content]);
};
const words = (...values: number[]): Buffer => Buffer.from(new Uint16Array(values).buffer);
const floats = (values: readonly number[]): Buffer => Buffer.from(new Float32Array(values).buffer);

/** A 3DS of the box, which has Z up. */
export const threeDsBox = (): Buffer =>
  chunk(
    0x4d4d,
    chunk(0x0002, Buffer.from([3, 0, 0, 0])),
    chunk(
      0x3d3d,
      chunk(
        0x4000,
        Buffer.from('lid\0'),
        chunk(
          0x4100,
          chunk(0x4110, words(BOX_POINTS.length), floats(BOX_POINTS.flat())),
          chunk(0x4120, words(BOX_TRIANGLES.length), words(...BOX_TRIANGLES.flatMap((corners) => [...corners, 7]))),
        ),
      ),
    ),
  );

/** A piece of an IFF: a name, its length, what is in it. */
const piece = (name: string, content: Uint8Array): Buffer => {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(content.length);
  return Buffer.concat([Buffer.from(name), length, content, Buffer.alloc(content.length % 2)]);
};
const bigWords = (values: readonly number[]): Buffer => words(...values).swap16();

/** A LightWave object of the box: Y up, and its Z away from the viewer, so that it is wound the other way round. */
export const lwoBox = (): Buffer => {
  const points = BOX_POINTS_Y_UP.flatMap(([x = 0, y = 0, z = 0]) => [x, y, -z]);
  const polygons = BOX_FACES.flatMap((face) => [4, ...face.toReversed()]);
  const surfaces = BOX_FACES.flatMap((_, i) => [i, 0]);
  const content = Buffer.concat([
    Buffer.from('LWO2'),
    piece('TAGS', Buffer.from('red\0')),
    piece('LAYR', Buffer.concat([Buffer.alloc(16), Buffer.from('lid\0')])),
    piece('PNTS', floats(points).swap32()),
    piece('POLS', Buffer.concat([Buffer.from('FACE'), bigWords(polygons)])),
    piece('PTAG', Buffer.concat([Buffer.from('SURF'), bigWords(surfaces)])),
    piece('SURF', Buffer.from('red\0\0\0')),
  ]);
  return piece('FORM', content);
};
