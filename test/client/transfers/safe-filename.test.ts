import should from 'should';
import { numberedName, safeFilename } from '../../../src/client/transfers/safe-filename.js';

describe('safeFilename', () => {
  const cases: [title: string, name: string, expected: string | undefined][] = [
    ['keeps an ASCII name', 'bracket.stl', 'bracket.stl'],
    ['keeps letters of any script', 'Gehäuse 部品.stl', 'Gehäuse 部品.stl'],
    ['returns the last segment of a relative path', '../../etc/passwd', 'passwd'],
    ['returns the last segment of an absolute path', '/etc/cron.d/job.stl', 'job.stl'],
    ['returns the last segment of a Windows path', 'C:\\Windows\\part.stl', 'part.stl'],
    ['replaces the colon after a drive letter', 'C:part.stl', 'C_part.stl'],
    ['removes a leading dot', '.bashrc', 'bashrc'],
    ['removes NUL characters', 'part.stl\0.txt', 'part.stl.txt'],
    ['removes bidirectional formatting characters', 'part\u202Elts.exe', 'partlts.exe'],
    ['prefixes a device name with an underscore', 'CON.stl', '_CON.stl'],
    ['prefixes a device name with several extensions', 'nul.tar.gz', '_nul.tar.gz'],
    ['replaces characters that Windows forbids', 'a<b>|?.stl', 'a_b___.stl'],
    ['removes trailing dots and spaces', 'part.stl. .', 'part.stl'],
    ['returns undefined for two dots', '..', undefined],
    ['returns undefined for a path that ends in a slash', 'parts/', undefined],
    ['returns undefined for an empty name', '', undefined],
  ];
  for (const [title, name, expected] of cases) {
    it(title, () => {
      should(safeFilename(name)).equal(expected);
    });
  }

  it('truncates to 200 bytes without splitting characters, and keeps the extension', () => {
    const short = safeFilename(`${'ä'.repeat(5000)}.stl`) ?? '';
    Buffer.byteLength(short).should.be.within(198, 200);
    short.should.match(/^ä+\.stl$/);
  });
});

describe('numberedName', () => {
  it('adds a number before the extension', () => {
    numberedName('part.stl', 2).should.equal('part-2.stl');
    numberedName('part', 3).should.equal('part-3');
    numberedName('a.b.stl', 2).should.equal('a.b-2.stl');
  });
});
