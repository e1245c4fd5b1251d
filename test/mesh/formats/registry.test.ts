import should from 'should';
import { exportFormatOf, FORMATS, importFormatOf } from '../../../src/mesh/formats/registry.js';

describe('importFormatOf', () => {
  it('uses the last extension and ignores case', () => {
    should(importFormatOf('Bracket.STL')?.id).equal('stl');
    should(importFormatOf('a.stl.obj')?.id).equal('obj');
    should(importFormatOf('folder.stl/part.Obj')?.id).equal('obj');
  });

  it('returns undefined for a missing or unknown extension', () => {
    for (const name of ['stl', '', '.', 'a.', 'a.stl/', 'a.dwg', 'a.stl ']) should(importFormatOf(name)).be.undefined();
  });
});

describe('exportFormatOf', () => {
  it('accepts ids and extensions in any case, with or without a leading dot', () => {
    should(exportFormatOf('stl')?.id).equal('stl');
    should(exportFormatOf('STL-ASCII')?.id).equal('stl-ascii');
    should(exportFormatOf('.Obj')?.id).equal('obj');
  });

  it('returns undefined for formats that cannot be exported', () => {
    for (const name of ['', 'step', 'stl ascii', 'constructor']) should(exportFormatOf(name)).be.undefined();
  });
});

describe('FORMATS', () => {
  it('has unique ids, each with at least one extension', () => {
    new Set(FORMATS.map(({ id }) => id)).size.should.equal(FORMATS.length);
    for (const { extensions } of FORMATS) extensions.length.should.be.above(0);
  });
});
