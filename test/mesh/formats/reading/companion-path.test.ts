import should from 'should';
import { resolveCompanionPath } from '../../../../src/mesh/formats/reading/companion-path.js';

describe('resolveCompanionPath', () => {
  it('resolves a relative reference from the folder of the scene', () => {
    should(resolveCompanionPath('', 'a.bin')).equal('a.bin');
    should(resolveCompanionPath('models/car', './parts//a.bin')).equal('models/car/parts/a.bin');
    should(resolveCompanionPath('models/car', '../shared/a.bin')).equal('models/shared/a.bin');
  });

  it('decodes percent-encoded characters and accepts backslashes', () => {
    should(resolveCompanionPath('', 'a%20b%C3%A4.bin')).equal('a bä.bin');
    should(resolveCompanionPath('', 'parts\\a.bin')).equal('parts/a.bin');
  });

  it('returns undefined for a path that leaves the root', () => {
    for (const reference of ['../a.bin', 'x/../../a.bin', '%2e%2e/a.bin', '..\\a.bin', '..%5Ca.bin'])
      should(resolveCompanionPath('', reference)).be.undefined();
    should(resolveCompanionPath('a/b', '../../../c')).be.undefined();
  });

  it('returns undefined for absolute paths, URLs, drives and malformed references', () => {
    const references = [
      '/etc/passwd',
      '\\\\host\\a',
      '%2Fetc/passwd',
      'file:///a',
      'http://h/a',
      'C:\\a',
      'a.bin:b',
      '',
    ];
    for (const reference of [...references, '.', 'a%', 'a%00b'])
      should(resolveCompanionPath('', reference)).be.undefined();
  });
});
