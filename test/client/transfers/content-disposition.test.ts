import should from 'should';
import { parseDispositionFilename } from '../../../src/client/transfers/content-disposition.js';

describe('parseDispositionFilename', () => {
  const cases: [title: string, header: string | undefined, expected: string | undefined][] = [
    ['returns a quoted name', 'attachment; filename="part one.stl"', 'part one.stl'],
    ['returns an unquoted name', 'attachment; filename=part.stl', 'part.stl'],
    ['removes the escapes of a quoted name', 'attachment; filename="a\\"b.stl"', 'a"b.stl'],
    [
      'prefers filename*, in any position',
      "attachment; filename*=UTF-8''Geh%C3%A4use.stl; filename=x.stl",
      'Gehäuse.stl',
    ],
    ['decodes filename* in Latin-1', "attachment; filename*=iso-8859-1''Geh%E4use.stl", 'Gehäuse.stl'],
    [
      'returns filename if the encoding of filename* is invalid',
      "attachment; filename*=UTF-8''%E4%; filename=x.stl",
      'x.stl',
    ],
    [
      'decodes a quoted name in UTF-8',
      `attachment; filename="${Buffer.from('Gehäuse.stl').toString('latin1')}"`,
      'Gehäuse.stl',
    ],
    ['ignores parameters inside a quoted name', 'attachment; filename="x; filename=evil.stl"', 'x; filename=evil.stl'],
    ['returns undefined for a header without a name', 'attachment', undefined],
    ['returns undefined without a header', undefined, undefined],
  ];
  for (const [title, header, expected] of cases) {
    it(title, () => {
      should(parseDispositionFilename(header)).equal(expected);
    });
  }
});
