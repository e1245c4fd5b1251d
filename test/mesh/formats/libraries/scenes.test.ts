import 'should';
import { binaryFbxBox } from '../files/binary-fbx.js';
import { lwoBox, threeDsBox } from '../files/binary-scenes.js';
import { BOX_POINTS, BOX_POINTS_Y_UP } from '../files/box.js';
import { acBox, aseBox, colladaBox, fbxBox, xBox, zaeBox } from '../files/scenes.js';
import { refusalOf } from '../mesh-error-of.js';
import { createZip } from '../zip/zip-bytes.js';
import { measureFile } from './measure-file.js';

const SOLID = { shells: 1, level: 'solid' };
const INCHES = [0, 0, 0, 25.4, 50.8, 76.2];

/** Those that hold no unit, and whether a material comes with their box. */
const UNITLESS: Record<string, { file: () => Buffer; names: string[]; warnings: string[] }> = {
  '3ds': { file: threeDsBox, names: ['3DSMesh_0'], warnings: [] },
  lwo: { file: lwoBox, names: ['lid'], warnings: ['MATERIALS_DROPPED'] },
  ac: { file: acBox, names: ['lid'], warnings: ['MATERIALS_DROPPED'] },
  ase: { file: aseBox, names: ['lid'], warnings: [] },
  x: { file: xBox, names: ['lid'], warnings: [] },
};

describe('the reader of scenes', () => {
  for (const [extension, { file, names, warnings }] of Object.entries(UNITLESS)) {
    it(`reads ${extension} with Z up, facing outward, in the unit of the caller`, async () => {
      const read = await measureFile(file(), `a.${extension}`, { measurementUnits: 'inch' });
      read.should.match({ ...SOLID, box: INCHES, names, warnings });
      read.volume.should.be.above(0);
    });
  }

  describe('of FBX', () => {
    const box = async (settings: Parameters<typeof fbxBox>[0], points: readonly (readonly number[])[]) => {
      const read = await measureFile(fbxBox(settings, points), 'a.fbx', { measurementUnits: 'm' });
      read.should.match({ ...SOLID, names: ['lid'], warnings: [] });
      return read.box;
    };

    it('takes centimetres with Y up where the file says nothing', async () => {
      (await box({}, BOX_POINTS_Y_UP)).should.deepEqual([0, 0, 0, 10, 20, 30]);
    });

    it('takes the unit of the file', async () => {
      (await box({ unitScale: 2.54 }, BOX_POINTS_Y_UP)).should.deepEqual(INCHES);
      (await box({ unitScale: 0.1 }, BOX_POINTS_Y_UP)).should.deepEqual([0, 0, 0, 1, 2, 3]);
    });

    it('reads binary files, too', async () => {
      const read = await measureFile(binaryFbxBox(), 'a.fbx');
      read.should.match({ ...SOLID, box: INCHES, names: ['lid'], warnings: [] });
    });

    it('takes the axes of the file', async () => {
      const zUp = { coord: [0, 1], up: [2, 1], front: [1, -1] } as const;
      (await box({ unitScale: 0.1, axes: zUp }, BOX_POINTS)).should.deepEqual([0, 0, 0, 1, 2, 3]);
      const turned = { coord: [2, 1], up: [0, 1], front: [1, 1] } as const;
      (await box({ unitScale: 0.1, axes: turned }, BOX_POINTS)).should.deepEqual([0, -2, 0, 3, 0, 1]);
    });

    it('falls back on Y up where the axes are none', async () => {
      const none = { coord: [1, 1], up: [1, 1], front: [7, 1] } as const;
      (await box({ unitScale: 0.1, axes: none }, BOX_POINTS_Y_UP)).should.deepEqual([0, 0, 0, 1, 2, 3]);
    });

    it('places what the scene places', async () => {
      const moved = await box({ unitScale: 0.1, move: '10,0,0' }, BOX_POINTS_Y_UP);
      moved.should.deepEqual([10, 0, 0, 11, 2, 3]);
    });
  });

  describe('of Collada', () => {
    it('takes the unit and the axes of the file', async () => {
      const read = await measureFile(colladaBox(0.0254), 'a.dae', { measurementUnits: 'm' });
      read.should.match({ ...SOLID, box: INCHES, warnings: [] });
    });

    it('turns triangles over that the scene mirrors, and says that materials are not kept', async () => {
      const read = await measureFile(colladaBox(0.001, { isMirrored: true, hasMaterial: true }), 'a.dae');
      read.should.match({ ...SOLID, box: [-1, 0, 0, 0, 2, 3], warnings: ['MATERIALS_DROPPED'] });
      read.volume.should.be.approximately(6, 1e-6);
    });

    it('reads the file that a ZAE names', async () => {
      (await measureFile(zaeBox(), 'a.zae')).should.match({ ...SOLID, box: [0, 0, 0, 1000, 2000, 3000] });
      const unnamed = createZip({ 'a.dae': colladaBox(0.001) });
      (await measureFile(unnamed, 'a.zae')).box.should.deepEqual([0, 0, 0, 1, 2, 3]);
      const refusal = await refusalOf(measureFile(createZip({ 'a.txt': 'x' }), 'a.zae'));
      refusal.message.should.containEql('no Collada');
    });
  });

  it('refuses a file that begins as another format, whatever the library could make of it', async () => {
    for (const extension of ['fbx', 'dae', ...Object.keys(UNITLESS)]) {
      const refusal = await refusalOf(measureFile(Buffer.from('ply\nformat ascii 1.0\n'), `a.${extension}`));
      refusal.code.should.equal('FILE_MALFORMED', extension);
      refusal.message.should.containEql('begins otherwise');
    }
  });

  it('refuses a file that breaks off', async () => {
    const files = { fbx: fbxBox({}, BOX_POINTS), dae: colladaBox(1), x: xBox() };
    for (const [extension, file] of Object.entries(files)) {
      const refusal = await refusalOf(measureFile(file.subarray(0, file.length / 3), `a.${extension}`));
      refusal.code.should.match(/^FILE_/, extension);
    }
  });

  it('refuses more than it could take in, before it takes it in', async () => {
    const large = Buffer.alloc(64 * 1024 ** 2 + 1);
    large.write('Kaydara FBX Binary');
    (await refusalOf(measureFile(large, 'a.fbx'))).should.match({ code: 'TOO_LARGE', message: /64 MiB.*GLB/ });
  });
});
