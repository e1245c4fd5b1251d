import 'should';
import {
  choiceField,
  numberField,
  readSettings,
  textField,
  unitTypeField,
} from '../../../../nodes/shared/node/settings.js';

const FIELDS = {
  name: textField(),
  unit: textField('mm'),
  send: choiceField('started', 'finished'),
  limit: numberField(8, { min: 1, isInteger: true }),
};

describe('readSettings', () => {
  it('returns the saved values', () => {
    const saved = { name: 'mine', unit: 'inch', send: 'finished', limit: 3 };
    readSettings(FIELDS, saved).should.deepEqual(saved);
  });

  it('returns the defaults of properties that an older version did not save', () => {
    readSettings(FIELDS, { id: 'n1' }).should.deepEqual({ name: '', unit: 'mm', send: 'started', limit: 8 });
  });

  it('converts numbers that the editor saved as strings', () => {
    readSettings(FIELDS, { limit: '12' }).limit.should.equal(12);
  });

  it('raises numbers to their minimum, and returns the default for words and blank strings', () => {
    readSettings(FIELDS, { limit: -5 }).limit.should.equal(1);
    readSettings(FIELDS, { limit: 'many' }).limit.should.equal(8);
    readSettings(FIELDS, { limit: ' ' }).limit.should.equal(8);
  });

  it('returns the first choice for a value that is not in the list', () => {
    readSettings(FIELDS, { send: 'never' }).send.should.equal('started');
  });
});

describe('unitTypeField', () => {
  const typeOf = (saved: object): string => readSettings({ unitType: unitTypeField() }, saved).unitType;

  it('leaves the unit of new nodes open', () => {
    unitTypeField().value.should.equal('none');
    typeOf({ unitType: 'none' }).should.equal('none');
  });

  it('keeps the unit of nodes that were saved before it could be left open', () => {
    for (const [saved, expected] of [
      [{}, 'str'],
      [{ unitType: 'str' }, 'str'],
      [{ unitType: 'msg' }, 'msg'],
    ] as const)
      typeOf(saved).should.equal(expected);
  });
});
