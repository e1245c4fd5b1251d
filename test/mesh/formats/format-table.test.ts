import should from 'should';
import { exportFormatOf, FORMATS, importFormatOf } from '../../../src/mesh/formats/format-table.js';

describe('importFormatOf', () => {
  it('goes by the last extension, without regard to case', () => {
    should(importFormatOf('Bracket.STL')).equal('stl');
    should(importFormatOf('a.stl.obj')).equal('obj');
    should(importFormatOf('folder.stl/part.Obj')).equal('obj');
  });

  it('knows no format of a name without an extension, or with another one', () => {
    for (const name of ['stl', '', '.', 'a.', 'a.stl/', 'a.dwg', 'a.stl ']) should(importFormatOf(name)).be.undefined();
  });
});

describe('exportFormatOf', () => {
  it('takes ids and extensions, without regard to case, with or without a dot', () => {
    should(exportFormatOf('stl')).equal('stl');
    should(exportFormatOf('STL-ASCII')).equal('stl-ascii');
    should(exportFormatOf('.Obj')).equal('obj');
  });

  it('knows no other', () => {
    for (const name of ['', 'step', 'stl ascii', 'constructor']) should(exportFormatOf(name)).be.undefined();
  });
});

describe('FORMATS', () => {
  it('has each id once, and an extension for each', () => {
    new Set(FORMATS.map(({ id }) => id)).size.should.equal(FORMATS.length);
    for (const { extensions } of FORMATS) extensions.length.should.be.above(0);
  });
});
