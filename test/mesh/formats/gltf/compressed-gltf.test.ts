import 'should';
import { dracoBox, meshoptBox } from '../files/compressed-gltf.js';
import { measureFile } from '../measure-file.js';
import { rejectionOf } from '../mesh-error-of.js';

const BOX = { box: [0, 0, 0, 1, 2, 3], shells: 1, level: 'solid', names: ['lid'], warnings: [] };

describe('loadCompressedGltf', () => {
  it('decodes Draco', async () => {
    (await measureFile(await dracoBox(), 'a.glb')).should.match(BOX);
  });

  it('decodes the joints of a skin with Draco', async () => {
    const skinned = { ...BOX, box: [10, 0, 0, 11, 2, 3], warnings: ['ANIMATION_DROPPED'] };
    (await measureFile(await dracoBox(0, true), 'a.glb')).should.match(skinned);
  });

  it('decodes meshopt', async () => {
    (await measureFile(await meshoptBox(), 'a.glb')).should.match(BOX);
  });

  it('throws FILE_MALFORMED if the Draco data have no positions', async () => {
    const rejection = await rejectionOf(measureFile(await dracoBox(7), 'a.glb'));
    rejection.should.match({ code: 'FILE_MALFORMED', message: /no position attribute 7/ });
  });

  it('rejects invalid meshopt encodings before allocating memory', async () => {
    const INVALID_ENCODINGS: object[] = [
      { mode: 'POINTS' },
      { filter: 'BLUR' },
      { byteStride: 1000 },
      { byteStride: 13 },
      { filter: 'QUATERNION' },
      { mode: 'TRIANGLES', byteStride: 2, count: 8 },
      { mode: 'INDICES' },
      { byteStride: 256, count: 2 ** 30 },
    ];
    for (const mistake of INVALID_ENCODINGS) {
      const rejection = await rejectionOf(measureFile(await meshoptBox(mistake), 'a.glb'));
      rejection.should.match({ code: 'FILE_MALFORMED', message: /invalid meshopt encoding/ });
    }
    for (const mistake of [{ count: 1000 }, { byteLength: 5 }, { byteOffset: 3 }]) {
      const rejection = await rejectionOf(measureFile(await meshoptBox(mistake), 'a.glb'));
      rejection.should.match({ code: 'FILE_MALFORMED', message: /the library failed/ });
    }
    const outside = await rejectionOf(measureFile(await meshoptBox({ byteLength: 5000 }), 'a.glb'));
    outside.should.match({ code: 'FILE_MALFORMED', message: /compressed bufferView 0 exceeds/ });
  });

  it('throws FILE_MALFORMED for damaged data', async () => {
    const damaged = await dracoBox();
    damaged.fill(0, damaged.indexOf('DRACO'));
    const rejection = await rejectionOf(measureFile(damaged, 'a.glb'));
    rejection.should.match({ code: 'FILE_MALFORMED', message: /could not decode the Draco data/ });
  });
});
