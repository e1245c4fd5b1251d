import 'should';
import { binaryFbxBox } from '../files/binary-fbx.js';
import { lwoBox, threeDsBox } from '../files/binary-scenes.js';
import { BOX_POINTS, BOX_POINTS_Y_UP } from '../files/box.js';
import { acBox, aseBox, fbxBox, xBox } from '../files/scenes.js';
import { measureFile } from '../measure-file.js';
import { rejectionOf } from '../mesh-error-of.js';

const SOLID = { shells: 1, level: 'solid' };
const INCHES = [0, 0, 0, 25.4, 50.8, 76.2];

/** Formats without units, with the names and warnings of their box. */
const UNITLESS: Record<string, { file: () => Buffer; names: string[]; warnings: string[] }> = {
  '3ds': { file: threeDsBox, names: ['3DSMesh_0'], warnings: [] },
  lwo: { file: lwoBox, names: ['lid'], warnings: ['MATERIALS_DROPPED'] },
  ac: { file: acBox, names: ['lid'], warnings: ['MATERIALS_DROPPED'] },
  ase: { file: aseBox, names: ['lid'], warnings: [] },
  x: { file: xBox, names: ['lid'], warnings: [] },
};

describe('loadAssimp', () => {
  for (const [extension, { file, names, warnings }] of Object.entries(UNITLESS)) {
    it(`reads ${extension} with Z up, facing outward, in the unit of the caller`, async () => {
      const read = await measureFile(file(), `a.${extension}`, { measurementUnits: 'inch' });
      read.should.match({ ...SOLID, box: INCHES, names, warnings });
      read.volume.should.be.above(0);
    });
  }

  describe('with FBX', () => {
    const box = async (settings: Parameters<typeof fbxBox>[0], points: readonly (readonly number[])[]) => {
      const read = await measureFile(fbxBox(settings, points), 'a.fbx', { measurementUnits: 'm' });
      read.should.match({ ...SOLID, names: ['lid'], warnings: [] });
      return read.box;
    };

    it('assumes centimeters with Y up by default', async () => {
      (await box({}, BOX_POINTS_Y_UP)).should.deepEqual([0, 0, 0, 10, 20, 30]);
    });

    it('uses the unit of the file', async () => {
      (await box({ unitScale: 2.54 }, BOX_POINTS_Y_UP)).should.deepEqual(INCHES);
      (await box({ unitScale: 0.1 }, BOX_POINTS_Y_UP)).should.deepEqual([0, 0, 0, 1, 2, 3]);
    });

    it('reads binary files', async () => {
      const read = await measureFile(binaryFbxBox(), 'a.fbx');
      read.should.match({ ...SOLID, box: INCHES, names: ['lid'], warnings: [] });
    });

    it('uses the axes of the file', async () => {
      const zUp = { coord: [0, 1], up: [2, 1], front: [1, -1] } as const;
      (await box({ unitScale: 0.1, axes: zUp }, BOX_POINTS)).should.deepEqual([0, 0, 0, 1, 2, 3]);
      const turned = { coord: [2, 1], up: [0, 1], front: [1, 1] } as const;
      (await box({ unitScale: 0.1, axes: turned }, BOX_POINTS)).should.deepEqual([0, -2, 0, 3, 0, 1]);
    });

    it('falls back to Y up if the axes are invalid', async () => {
      const none = { coord: [1, 1], up: [1, 1], front: [7, 1] } as const;
      (await box({ unitScale: 0.1, axes: none }, BOX_POINTS_Y_UP)).should.deepEqual([0, 0, 0, 1, 2, 3]);
    });

    it('applies the transforms of nodes', async () => {
      const moved = await box({ unitScale: 0.1, properties: { 'Lcl Translation': [10, 0, 0] } }, BOX_POINTS_Y_UP);
      moved.should.deepEqual([10, 0, 0, 11, 2, 3]);
    });
  });

  it('throws FILE_MALFORMED for a file that does not begin like one', async () => {
    for (const extension of ['fbx', ...Object.keys(UNITLESS)]) {
      const rejection = await rejectionOf(measureFile(Buffer.from('a ply\nformat ascii 1.0\n'), `a.${extension}`));
      rejection.code.should.equal('FILE_MALFORMED', extension);
      rejection.message.should.containEql('does not begin like one');
    }
  });

  it('throws for a truncated file', async () => {
    const files = { fbx: fbxBox({}, BOX_POINTS), x: xBox() };
    for (const [extension, file] of Object.entries(files)) {
      const rejection = await rejectionOf(measureFile(file.subarray(0, file.length / 3), `a.${extension}`));
      rejection.code.should.match(/^FILE_/, extension);
    }
  });

  it('throws TOO_LARGE for more than 64 MiB before reading it', async () => {
    const large = Buffer.alloc(64 * 1024 ** 2 + 1);
    large.write('Kaydara FBX Binary');
    (await rejectionOf(measureFile(large, 'a.fbx'))).should.match({ code: 'TOO_LARGE', message: /64 MiB.*GLB/ });
  });
});
