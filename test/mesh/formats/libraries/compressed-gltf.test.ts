import 'should';
import { dracoBox, meshoptBox } from '../files/packed-gltf.js';
import { refusalOf } from '../mesh-error-of.js';
import { measureFile } from './measure-file.js';

const BOX = { box: [0, 0, 0, 1, 2, 3], shells: 1, level: 'solid', names: ['lid'], warnings: [] };

describe('the reader of packed glTF', () => {
  it('unpacks what Draco packed', async () => {
    (await measureFile(await dracoBox(), 'a.glb')).should.match(BOX);
  });

  it('unpacks what meshopt packed', async () => {
    (await measureFile(await meshoptBox(), 'a.glb')).should.match(BOX);
  });

  it('refuses what Draco packed as anything but positions', async () => {
    const refusal = await refusalOf(measureFile(await dracoBox(7), 'a.glb'));
    refusal.should.match({ code: 'FILE_MALFORMED', message: /no positions as its attribute 7/ });
  });

  it('refuses what meshopt cannot have packed, before it takes memory for it', async () => {
    const MISTAKES: object[] = [
      { mode: 'POINTS' },
      { filter: 'BLUR' },
      { byteStride: 1000 },
      { byteStride: 13 },
      { filter: 'QUATERNION' },
      { mode: 'TRIANGLES', byteStride: 2, count: 8 },
      { mode: 'INDICES' },
      { byteStride: 256, count: 2 ** 30 },
    ];
    for (const mistake of MISTAKES) {
      const refusal = await refusalOf(measureFile(await meshoptBox(mistake), 'a.glb'));
      refusal.should.match({ code: 'FILE_MALFORMED', message: /meshopt packs nothing as/ });
    }
    for (const mistake of [{ count: 1000 }, { byteLength: 5 }, { byteOffset: 3 }]) {
      const refusal = await refusalOf(measureFile(await meshoptBox(mistake), 'a.glb'));
      refusal.should.match({ code: 'FILE_MALFORMED', message: /broke off/ });
    }
    const outside = await refusalOf(measureFile(await meshoptBox({ byteLength: 5000 }), 'a.glb'));
    outside.should.match({ code: 'FILE_MALFORMED', message: /packed bufferView 0 reaches out/ });
  });

  it('refuses what was packed and then damaged', async () => {
    const damaged = await dracoBox();
    damaged.fill(0, damaged.indexOf('DRACO'));
    const refusal = await refusalOf(measureFile(damaged, 'a.glb'));
    refusal.should.match({ code: 'FILE_MALFORMED', message: /Draco packed cannot be unpacked/ });
  });
});
