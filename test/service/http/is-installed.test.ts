import 'should';
import { isInstalled } from '../../../src/service/http/is-installed.js';

describe('isInstalled', () => {
  it('tells a package that is there from one that is not', () => {
    isInstalled('web-ifc').should.be.true();
    isInstalled('web-ifc-that-nobody-made').should.be.false();
  });
});
