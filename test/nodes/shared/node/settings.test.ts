import 'should';
import { choiceField, numberField, readSettings, textField } from '../../../../nodes/shared/node/settings.js';

const FIELDS = {
  name: textField(),
  unit: textField('mm'),
  send: choiceField('started', 'finished'),
  limit: numberField(8, 1),
};

describe('readSettings', () => {
  it('takes what was saved', () => {
    const saved = { name: 'mine', unit: 'inch', send: 'finished', limit: 3 };
    readSettings(FIELDS, saved).should.deepEqual(saved);
  });

  it('gives defaults for fields that an older version did not save', () => {
    readSettings(FIELDS, { id: 'n1' }).should.deepEqual({ name: '', unit: 'mm', send: 'started', limit: 8 });
  });

  it('reads numbers that the editor saved as texts', () => {
    readSettings(FIELDS, { limit: '12' }).limit.should.equal(12);
  });

  it('keeps numbers within their limits, and takes no text and no blank for a number', () => {
    readSettings(FIELDS, { limit: -5 }).limit.should.equal(1);
    readSettings(FIELDS, { limit: 'many' }).limit.should.equal(8);
    readSettings(FIELDS, { limit: ' ' }).limit.should.equal(8);
  });

  it('takes the first choice for one that is not on the list', () => {
    readSettings(FIELDS, { send: 'never' }).send.should.equal('started');
  });
});
