import 'should';
import { decodePercent } from '../../../../src/mesh/formats/text/decode-percent.js';

describe('decodePercent', () => {
  it('decodes UTF-8, in upper and lower case', () => {
    decodePercent('My%20mod%C3%A8le%2e3mf').should.equal('My modèle.3mf');
    decodePercent('%e8%a1%a8').should.equal('表');
  });

  it('decodes bytes that are not UTF-8 as Latin-1', () => {
    decodePercent('M%F6bel').should.equal('Möbel');
  });

  it('keeps a percent sign that encodes nothing', () => {
    for (const text of ['10%', '5% of 10%.bin', '%', '%g1', '%4']) decodePercent(text).should.equal(text);
    decodePercent('a%20b 10%').should.equal('a b 10%');
  });
});
