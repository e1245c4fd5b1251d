import 'should';
import { isPackageInstalled } from '../../../src/service/http/is-package-installed.js';

describe('isInstalled', () => {
  it('tells a package that is there from one that is not', () => {
    isPackageInstalled('web-ifc').should.be.true();
    isPackageInstalled('web-ifc-that-nobody-made').should.be.false();
  });
});
