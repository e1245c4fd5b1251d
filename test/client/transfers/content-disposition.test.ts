import should from 'should';
import { parseDispositionFilename } from '../../../src/client/transfers/content-disposition.js';

describe('Content-Disposition', () => {
  const cases: [what: string, header: string | undefined, expected: string | undefined][] = [
    ['gives a quoted name', 'attachment; filename="part one.stl"', 'part one.stl'],
    ['gives a bare name', 'attachment; filename=part.stl', 'part.stl'],
    ['gives a quoted name with escapes', 'attachment; filename="a\\"b.stl"', 'a"b.stl'],
    [
      'prefers the extended name, wherever it stands',
      "attachment; filename*=UTF-8''Geh%C3%A4use.stl; filename=x.stl",
      'Gehäuse.stl',
    ],
    ['reads Latin-1 extended names', "attachment; filename*=iso-8859-1''Geh%E4use.stl", 'Gehäuse.stl'],
    ['falls back where the extended name is broken', "attachment; filename*=UTF-8''%E4%; filename=x.stl", 'x.stl'],
    [
      'reads plain UTF-8 as it arrives in a header',
      `attachment; filename="${Buffer.from('Gehäuse.stl').toString('latin1')}"`,
      'Gehäuse.stl',
    ],
    [
      'is not led astray by a name inside a name',
      'attachment; filename="x; filename=evil.stl"',
      'x; filename=evil.stl',
    ],
    ['gives nothing where there is no name', 'attachment', undefined],
    ['gives nothing where there is no header', undefined, undefined],
  ];
  for (const [what, header, expected] of cases) {
    it(what, () => {
      should(parseDispositionFilename(header)).equal(expected);
    });
  }
});
