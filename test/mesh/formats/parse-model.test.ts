import 'should';
import { gzipSync } from 'node:zlib';
import { parseModel } from '../../../src/mesh/formats/parse-model.js';
import { serializeModel } from '../../../src/mesh/formats/serialize-model.js';
import { makeCube } from '../models/cube.js';
import { meshErrorOf } from './mesh-error-of.js';
import { binaryStl, TWO_FACETS } from './stl-bytes.js';

describe('parseModel', () => {
  it('takes millimetres where no unit is given, else scales from the unit', () => {
    const widthIn = (measurementUnits?: 'inch' | 'um') =>
      parseModel(binaryStl(TWO_FACETS), { filename: 'a.stl', measurementUnits }).mesh.positions[3] ?? 0;
    widthIn().should.equal(1);
    widthIn('inch').should.equal(25.4);
    widthIn('um').should.equal(0.001);
  });

  it('refuses a format it does not know, naming those it knows', () => {
    const error = meshErrorOf(() => parseModel(binaryStl(TWO_FACETS), { filename: 'a.step' }));
    error.code.should.equal('FORMAT_UNKNOWN');
    error.message.should.containEql('.stl, .obj');
  });

  it('refuses a file without bytes', () => {
    meshErrorOf(() => parseModel(new Uint8Array(), { filename: 'a.stl' })).code.should.equal('FILE_EMPTY');
  });

  const FOREIGN: Record<string, Uint8Array> = {
    'a ZIP': Buffer.from(
      'PK\u0003\u0004 and so on, and so on, longer than the head of a binary STL, which has eighty-four bytes.',
      'latin1',
    ),
    'a gzip': gzipSync(binaryStl(TWO_FACETS)),
    'a web page': Buffer.from('\n<!DOCTYPE html><html><body>Not found: facet vertex</body></html>'),
    XML: Buffer.from('\ufeff<?xml version="1.0"?><model/>'),
  };
  for (const [name, bytes] of Object.entries(FOREIGN)) {
    for (const filename of ['a.stl', 'a.obj']) {
      it(`refuses ${name} that is named ${filename}`, () => {
        const error = meshErrorOf(() => parseModel(bytes, { filename }));
        error.code.should.equal('FILE_MALFORMED');
        error.message.should.containEql(filename);
      });
    }
  }

  it('reads a binary STL of the right length, whatever its header begins with', () => {
    parseModel(binaryStl(TWO_FACETS, 2, 'PK\u0003\u0004'), { filename: 'a.stl' }).mesh.triangles.length.should.equal(6);
  });

  it('tells how far it is, up to 1', () => {
    const told: number[] = [];
    parseModel(binaryStl(TWO_FACETS), { filename: 'a.stl', onProgress: (progress) => told.push(progress) });
    (told.at(-1) ?? 0).should.equal(1);
    told.every((progress) => progress >= 0 && progress <= 1).should.be.true();
  });
});

describe('serializeModel', () => {
  it('refuses a format it does not know at once', () => {
    meshErrorOf(() => serializeModel(makeCube(), 'step')).code.should.equal('FORMAT_UNKNOWN');
  });
});
