import 'should';
import { named, rhinoBox, rhinoFile, rhinoInstance } from '../files/rhino.js';
import { refusalOf } from '../mesh-error-of.js';
import { measureFile } from './measure-file.js';

const SOLID = { shells: 1, level: 'solid' };

describe('the reader of 3DM', () => {
  it('reads meshes with their names, in the unit of the file', async () => {
    const bytes = await rhinoFile('Inches', (rhino, file) => {
      file.objects().addMesh(rhinoBox(rhino), named(rhino, 'lid'));
    });
    const read = await measureFile(bytes, 'a.3dm', { measurementUnits: 'm' });
    read.should.match({ ...SOLID, box: [0, 0, 0, 25.4, 50.8, 76.2], names: ['lid'], triangles: 12, warnings: [] });
  });

  it('takes the unit of the caller where the file has none', async () => {
    const bytes = await rhinoFile('None', (rhino, file) => {
      file.objects().addMesh(rhinoBox(rhino), named(rhino, ''));
    });
    (await measureFile(bytes, 'a.3dm', { measurementUnits: 'cm' })).box.should.deepEqual([0, 0, 0, 10, 20, 30]);
  });

  it('places blocks as often as they are placed, mirrored ones turned over, and nothing else of them', async () => {
    const bytes = await rhinoFile('Inches', (rhino, file) => {
      const box = rhinoBox(rhino);
      const attributes = named(rhino, 'part');
      const block = file.instanceDefinitions().add('block', '', '', '', [0, 0, 0], [box], [attributes]);
      const { id } = file.instanceDefinitions().findIndex(block);
      const moved = rhino.Transform.translationXYZ(10, 0, 0);
      const mirrored = rhino.Transform.mirror([0, 0, 0], [1, 0, 0]);
      for (const placement of [moved, mirrored])
        file.objects().addInstanceObject(rhinoInstance(rhino, id, placement), named(rhino, ''));
    });
    const { volume, ...read } = await measureFile(bytes, 'a.3dm');
    read.should.match({ shells: 2, level: 'solid', box: [-25.4, 0, 0, 279.4, 50.8, 76.2], names: ['part', 'part'] });
    volume.should.be.approximately(12 * 25.4 ** 3, 1e-6);
  });

  it('says what is not kept: colours, curves, and surfaces that were saved without their triangles', async () => {
    const bytes = await rhinoFile('Inches', (rhino, file) => {
      const mesh = rhinoBox(rhino);
      for (let i = 0; i < 8; i++) mesh.vertexColors().add(255, 0, 0);
      const plain = named(rhino, '');
      file.objects().addMesh(mesh, plain);
      file.objects().addLine([0, 0, 0], [1, 0, 0], plain);
      file.objects().addBrep(new rhino.Sphere([0, 0, 0], 5).toBrep(), plain);
    });
    const { warnings } = await measureFile(bytes, 'a.3dm');
    warnings.should.deepEqual(['COLOURS_DROPPED', 'LINES_DROPPED', 'SURFACES_DROPPED']);
  });

  it('refuses what is none, or holds no triangle', async () => {
    const bytes = await rhinoFile('Inches', () => undefined);
    (await refusalOf(measureFile(bytes, 'a.3dm'))).code.should.equal('FILE_EMPTY');
    (await refusalOf(measureFile(Buffer.from('solid a'), 'a.3dm'))).code.should.equal('FILE_MALFORMED');
  });

  it('refuses at once what breaks off, wherever it does, and what names a length that leads out of the file', async () => {
    const bytes = await rhinoFile('Inches', (rhino, file) => {
      file.objects().addMesh(rhinoBox(rhino), named(rhino, ''));
    });
    const long = Buffer.from(bytes);
    long.writeBigUInt64LE(2n ** 63n, 36);
    for (const broken of [20, 33, 100, 2000, bytes.length - 1]
      .map((length) => bytes.subarray(0, length))
      .concat([long])) {
      const refusal = await refusalOf(measureFile(broken, 'a.3dm'));
      refusal.should.match({ code: 'FILE_MALFORMED', message: /breaks off/ });
    }
  });
});
