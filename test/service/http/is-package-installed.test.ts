import 'should';
import { isPackageInstalled } from '../../../src/service/http/is-package-installed.js';

describe('isPackageInstalled', () => {
  it('returns true for an installed package and false for a missing one', () => {
    isPackageInstalled('web-ifc').should.be.true();
    isPackageInstalled('web-ifc-that-does-not-exist').should.be.false();
  });
});
