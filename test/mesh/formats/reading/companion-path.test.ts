import 'should';
import { resolveCompanionPaths } from '../../../../src/mesh/formats/reading/companion-path.js';

describe('resolveCompanionPaths', () => {
  it('resolves a relative reference from the folder of the scene', () => {
    resolveCompanionPaths('', 'a.bin').should.deepEqual(['a.bin']);
    resolveCompanionPaths('models/car', './parts//a.bin').should.deepEqual(['models/car/parts/a.bin']);
    resolveCompanionPaths('models/car', '../shared/a.bin').should.deepEqual(['models/shared/a.bin']);
  });

  it('decodes percent-encoded characters, but also keeps them, and accepts backslashes', () => {
    resolveCompanionPaths('', 'a%20b%C3%A4.bin').should.deepEqual(['a bä.bin', 'a%20b%C3%A4.bin']);
    resolveCompanionPaths('', 'a%e4.bin').should.deepEqual(['aä.bin', 'a%e4.bin']);
    resolveCompanionPaths('', 'parts\\a.bin').should.deepEqual(['parts/a.bin']);
  });

  it('keeps a percent sign that encodes nothing', () => {
    resolveCompanionPaths('', 'a 10%.bin').should.deepEqual(['a 10%.bin']);
    resolveCompanionPaths('', 'a%20b 10%').should.deepEqual(['a b 10%', 'a%20b 10%']);
  });

  it('returns no path that leaves the root', () => {
    for (const reference of ['../a.bin', 'x/../../a.bin', '..\\a.bin'])
      resolveCompanionPaths('', reference).should.be.empty();
    resolveCompanionPaths('a/b', '../../../c').should.be.empty();
    resolveCompanionPaths('', '%2e%2e/a.bin').should.deepEqual(['%2e%2e/a.bin']);
    resolveCompanionPaths('', '..%5Ca.bin').should.deepEqual(['..%5Ca.bin']);
  });

  it('returns no absolute path, URL or drive', () => {
    const references = ['/etc/passwd', '\\\\host\\a', 'file:///a', 'http://h/a', 'C:\\a', 'a.bin:b', '', '.'];
    for (const reference of references) resolveCompanionPaths('', reference).should.be.empty();
    resolveCompanionPaths('', '%2Fetc/passwd').should.deepEqual(['%2Fetc/passwd']);
    resolveCompanionPaths('', 'a%00b').should.deepEqual(['a%00b']);
  });
});
