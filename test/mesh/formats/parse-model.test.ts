import 'should';
import { gzipSync } from 'node:zlib';
import { parseModel } from '../../../src/mesh/formats/parse-model.js';
import { serializeModel } from '../../../src/mesh/formats/serialize-model.js';
import { makeCube } from '../models/cube.js';
import { meshErrorOf, rejectionOf } from './mesh-error-of.js';
import { binaryStl, TWO_FACETS } from './stl/stl-bytes.js';

describe('parseModel', () => {
  it('assumes millimeters by default and scales other units', async () => {
    const widthIn = async (measurementUnits?: 'inch' | 'um') => {
      const { mesh } = await parseModel(binaryStl(TWO_FACETS), { filename: 'a.stl', measurementUnits });
      return mesh.positions[3] ?? 0;
    };
    (await widthIn()).should.equal(1);
    (await widthIn('inch')).should.equal(25.4);
    (await widthIn('um')).should.equal(0.001);
  });

  it('throws FORMAT_UNKNOWN for unknown content with an unknown extension and lists the supported ones', async () => {
    const error = await rejectionOf(parseModel(Buffer.from('any text'), { filename: 'a.dwg' }));
    error.code.should.equal('FORMAT_UNKNOWN');
    error.message.should.containEql('.stl, .obj');
  });

  it('throws FILE_EMPTY for an empty file', async () => {
    const error = await rejectionOf(parseModel(new Uint8Array(), { filename: 'a.stl' }));
    error.code.should.equal('FILE_EMPTY');
  });

  const MISMATCHED: Record<string, Uint8Array> = {
    'a ZIP archive': Buffer.from(
      'PK\u0003\u0004 and so on, and so on, longer than the header of a binary STL, which has eighty-four bytes.',
      'latin1',
    ),
    'a gzip archive': gzipSync(binaryStl(TWO_FACETS)),
    'a web page': Buffer.from('\n<!DOCTYPE html><html><body>Not found: facet vertex</body></html>'),
    XML: Buffer.from('\ufeff<?xml version="1.0"?><model/>'),
  };
  for (const [name, bytes] of Object.entries(MISMATCHED)) {
    for (const filename of ['a.stl', 'a.obj']) {
      it(`throws FILE_MALFORMED for ${name} named ${filename}`, async () => {
        const error = await rejectionOf(parseModel(bytes, { filename }));
        error.code.should.equal('FILE_MALFORMED');
        error.message.should.containEql(filename);
      });
    }
  }

  it('reads a binary STL whose length matches its count, whatever its header begins with', async () => {
    const { mesh } = await parseModel(binaryStl(TWO_FACETS, 2, 'PK\u0003\u0004'), { filename: 'a.stl' });
    mesh.triangles.length.should.equal(6);
  });

  it('reports progress from 0 to 1', async () => {
    const reported: number[] = [];
    await parseModel(binaryStl(TWO_FACETS), { filename: 'a.stl', onProgress: (progress) => reported.push(progress) });
    (reported.at(-1) ?? 0).should.equal(1);
    reported.every((progress) => progress >= 0 && progress <= 1).should.be.true();
  });
});

describe('serializeModel', () => {
  it('throws FORMAT_UNKNOWN immediately for a format that cannot be exported', () => {
    meshErrorOf(() => serializeModel(makeCube(), 'step')).code.should.equal('FORMAT_UNKNOWN');
  });
});
