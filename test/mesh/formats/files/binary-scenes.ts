import { BOX_FACES, BOX_POINTS, BOX_POINTS_Y_UP, BOX_TRIANGLES } from './box.js';

/** A chunk of a 3DS: id, length, content. */
function chunk(id: number, ...content: Uint8Array[]): Buffer {
  const head = Buffer.alloc(6);
  head.writeUInt16LE(id, 0);
  head.writeUInt32LE(6 + content.reduce((sum, { length }) => sum + length, 0), 2);
  return Buffer.concat([head, ...content]);
}
function words(...values: number[]): Buffer {
  return Buffer.from(new Uint16Array(values).buffer);
}
function floats(values: readonly number[]): Buffer {
  return Buffer.from(new Float32Array(values).buffer);
}

/** Returns a 3DS of the box, with Z up. */
export function threeDsBox(): Buffer {
  return chunk(
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
}

/** A chunk of an IFF: id, length, content. */
function piece(name: string, content: Uint8Array): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(content.length);
  return Buffer.concat([Buffer.from(name), length, content, Buffer.alloc(content.length % 2)]);
}
function bigWords(values: readonly number[]): Buffer {
  return words(...values).swap16();
}

/** Returns a LightWave object of the box: Y up and left-handed, so its winding is reversed. */
export function lwoBox(): Buffer {
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
}
