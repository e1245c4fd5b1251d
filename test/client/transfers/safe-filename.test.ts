import should from 'should';
import { numberedName, safeFilename } from '../../../src/client/transfers/safe-filename.js';

describe('safe filename', () => {
  const cases: [what: string, given: string, expected: string | undefined][] = [
    ['keeps a plain name', 'bracket.stl', 'bracket.stl'],
    ['keeps letters of any script', 'Gehäuse 部品.stl', 'Gehäuse 部品.stl'],
    ['takes the last part of a path', '../../etc/passwd', 'passwd'],
    ['takes the last part of an absolute path', '/etc/cron.d/job.stl', 'job.stl'],
    ['takes the last part of a Windows path', 'C:\\Windows\\part.stl', 'part.stl'],
    ['leaves no drive', 'C:part.stl', 'C_part.stl'],
    ['never hides a file', '.bashrc', 'bashrc'],
    ['drops a NUL', 'part.stl\0.txt', 'part.stl.txt'],
    ['drops characters that turn the direction of the text', 'part\u202Elts.exe', 'partlts.exe'],
    ['puts an underscore before a reserved name', 'CON.stl', '_CON.stl'],
    ['does so whatever follows the name', 'nul.tar.gz', '_nul.tar.gz'],
    ['replaces what a system forbids', 'a<b>|?.stl', 'a_b___.stl'],
    ['drops trailing dots and blanks', 'part.stl. .', 'part.stl'],
    ['gives up on two dots', '..', undefined],
    ['gives up on a folder', 'parts/', undefined],
    ['gives up on nothing', '', undefined],
  ];
  for (const [what, given, expected] of cases) {
    it(what, () => {
      should(safeFilename(given)).equal(expected);
    });
  }

  it('shortens to 200 bytes, whole characters, and keeps the extension', () => {
    const short = safeFilename(`${'ä'.repeat(5000)}.stl`) ?? '';
    Buffer.byteLength(short).should.be.within(198, 200);
    short.should.match(/^ä+\.stl$/);
  });

  it('numbers a name before its extension', () => {
    numberedName('part.stl', 2).should.equal('part-2.stl');
    numberedName('part', 3).should.equal('part-3');
    numberedName('a.b.stl', 2).should.equal('a.b-2.stl');
  });
});
