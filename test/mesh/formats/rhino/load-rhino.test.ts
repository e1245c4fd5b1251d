import 'should';
import { named, rhinoBox, rhinoFile, rhinoInstance } from '../files/rhino.js';
import { measureFile } from '../measure-file.js';
import { rejectionOf } from '../mesh-error-of.js';

const SOLID = { shells: 1, level: 'solid' };

describe('loadRhino', () => {
  it('reads meshes with their names, in the unit of the file', async () => {
    const bytes = await rhinoFile('Inches', (rhino, file) => {
      file.objects().addMesh(rhinoBox(rhino), named(rhino, 'lid'));
    });
    const read = await measureFile(bytes, 'a.3dm', { measurementUnits: 'm' });
    read.should.match({ ...SOLID, box: [0, 0, 0, 25.4, 50.8, 76.2], names: ['lid'], triangles: 12, warnings: [] });
  });

  it('uses the unit of the caller if the file has none', async () => {
    const bytes = await rhinoFile('None', (rhino, file) => {
      file.objects().addMesh(rhinoBox(rhino), named(rhino, ''));
    });
    (await measureFile(bytes, 'a.3dm', { measurementUnits: 'cm' })).box.should.deepEqual([0, 0, 0, 10, 20, 30]);
  });

  it('places each block instance, reversing reflected ones, and not the block itself', async () => {
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

  it('warns about colors, curves and surfaces without render meshes', async () => {
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

  it('throws for other content and a file without triangles', async () => {
    const bytes = await rhinoFile('Inches', () => undefined);
    (await rejectionOf(measureFile(bytes, 'a.3dm'))).code.should.equal('FILE_EMPTY');
    (await rejectionOf(measureFile(Buffer.from('solid a'), 'a.3dm'))).code.should.equal('FILE_MALFORMED');
  });

  it('rejects a file truncated anywhere, or with a chunk length beyond its end', async () => {
    const bytes = await rhinoFile('Inches', (rhino, file) => {
      file.objects().addMesh(rhinoBox(rhino), named(rhino, ''));
    });
    const long = Buffer.from(bytes);
    long.writeBigUInt64LE(2n ** 63n, 36);
    for (const broken of [20, 33, 100, 2000, bytes.length - 1]
      .map((length) => bytes.subarray(0, length))
      .concat([long])) {
      const rejection = await rejectionOf(measureFile(broken, 'a.3dm'));
      rejection.should.match({ code: 'FILE_MALFORMED', message: /truncated/ });
    }
  });
});
