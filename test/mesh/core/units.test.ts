import should from 'should';
import { readUnit, UNIT_IN_MM } from '../../../src/mesh/core/units.js';

describe('readUnit', () => {
  it('accepts every unit in upper case', () => {
    for (const unit of Object.keys(UNIT_IN_MM)) should(readUnit(unit.toUpperCase())).equal(unit);
  });

  it('returns undefined for unknown names, including properties of Object.prototype', () => {
    should(readUnit('furlong')).be.undefined();
    should(readUnit('toString')).be.undefined();
    should(readUnit('')).be.undefined();
  });
});

describe('UNIT_IN_MM', () => {
  it('uses the international inch and foot', () => {
    UNIT_IN_MM.inch.should.equal(25.4);
    UNIT_IN_MM.ft.should.equal(304.8);
  });
});
