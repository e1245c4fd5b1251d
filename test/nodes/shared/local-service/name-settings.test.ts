import should from 'should';
import { nameOperator, nameSettings } from '../../../../nodes/shared/local-service/name-settings.js';

describe('nameSettings', () => {
  it('names settings instead of options', () => {
    should(nameSettings('Out of memory. Raise --memory, or reduce the model first.')).equal(
      'Out of memory. Raise modelProcessing.memory in settings.js, or reduce the model first.',
    );
    should(nameSettings('Retry later, or raise --disk-quota.')).equal(
      'Retry later, or raise modelProcessing.diskQuota in settings.js.',
    );
  });

  it('omits advice on options that have no setting', () => {
    should(nameSettings('Queue full. Start fewer at a time, or raise --queue-per-user.')).equal(
      'Queue full. Start fewer at a time.',
    );
  });

  it('changes no names of files', () => {
    for (const text of ['part--data.stl: failed.', 'Could not read "--memory.stl".', 'Could not read /x/--data/a.stl.'])
      should(nameSettings(text)).equal(text);
  });
});

describe('nameOperator', () => {
  it('says who can change an option', () => {
    should(nameOperator('Raise --memory, or reduce the model first.')).equal(
      'Raise --memory (an option for the operator of the service), or reduce the model first.',
    );
  });
});
