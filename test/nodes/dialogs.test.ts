import { access, readFile } from 'node:fs/promises';
import 'should';
import should from 'should';
import { EXPORT_FIELDS } from '../../nodes/export.js';
import { IMPORT_FIELDS } from '../../nodes/import.js';
import { OPERATION_FIELDS } from '../../nodes/operation.js';
import { REPAIR_FIELDS } from '../../nodes/repair.js';
import { CUSTOM_OPERATION } from '../../nodes/shared/operations/operation-parameters.js';
import { OPERATION_PARAMETERS, STEP_OPERATIONS } from '../../nodes/shared/operations.generated.js';
import { SAMPLES } from '../../nodes/shared/transfers/upload-source.js';
import { generateOperations } from '../../scripts/generate-operations.js';
import { EXPORT } from '../../src/service/operations/kinds/export.js';
import { IMPORT } from '../../src/service/operations/kinds/import.js';
import { type DialogScript, readDialogScript, readEditorHalf } from './support/editor-half.js';

/** The operations of a dialog that has all of them. */
const OFFERED = [...STEP_OPERATIONS, CUSTOM_OPERATION];

describe('the operations of the dialogs', () => {
  let dialogs: DialogScript;

  before(async () => {
    const shared = await readDialogScript();
    if (!shared) throw new Error('The shared dialog scripts set no window.modelProcessing');
    dialogs = shared;
  });

  const check = (operation: string, name: string, value: string, type = 'num') =>
    dialogs.checkOperation({ operation, parameters: { [name]: { value, type } } }, true, OFFERED);

  it('are generated from the records of the service: `npm run generate` renews them', async () => {
    for (const [file, expected] of generateOperations()) (await readFile(file, 'utf8')).should.equal(expected, file);
  });

  it('have the parameters and proposed values of the runtime halves', () => {
    const pick = <T>(table: Readonly<Record<string, Readonly<Record<string, { readonly proposed: T }>>>>) =>
      Object.entries(table).map(([operation, parameters]) => [
        operation,
        Object.entries(parameters).map(([name, { proposed }]) => [name, proposed]),
      ]);
    pick(dialogs.OPERATIONS).should.deepEqual(pick(OPERATION_PARAMETERS));
  });

  it('propose the values of the service in the fields of model import and model export', () => {
    const { measurementUnits, accuracyMm, maxAngle, helpers, plate } = IMPORT.parameters;
    IMPORT_FIELDS.measurementUnits.value.should.equal(measurementUnits.proposed);
    IMPORT_FIELDS.accuracyMm.value.should.equal(accuracyMm.proposed ?? '');
    IMPORT_FIELDS.maxAngle.value.should.equal(maxAngle.proposed ?? '');
    IMPORT_FIELDS.plate.value.should.equal(plate.proposed ?? '');
    IMPORT_FIELDS.helpers.value.should.equal(helpers.proposed);
    EXPORT_FIELDS.exportToFormat.value.should.equal(EXPORT.parameters.exportToFormat.proposed);
  });

  it('have valid proposed values', () => {
    for (const [operation, rules] of Object.entries(dialogs.OPERATIONS))
      for (const [name, { proposed }] of Object.entries(rules)) {
        const type = typeof proposed === 'string' ? 'str' : 'num';
        should(check(operation, name, String(proposed), type)).be.undefined();
      }
  });

  it('are those of the runtime halves', async () => {
    const { operations } = await readEditorHalf('operation');
    operations.should.deepEqual(OPERATION_FIELDS.operation.options);
    (await readEditorHalf('process')).operations.should.deepEqual([...STEP_OPERATIONS, CUSTOM_OPERATION]);
    (await readEditorHalf('repair')).operations.should.deepEqual(REPAIR_FIELDS.operation.options);
  });

  it('reject invalid parameters with their label and a reason', () => {
    should(check('scale', 'scaleToSizeMm', '0')).equal(
      'operation.parameter.scaleToSizeMm: service.invalid.numberAbove',
    );
    should(check('thumbnail', 'width', '1.5')).equal('operation.parameter.width: service.invalid.integerBetween');
    should(check('scale', 'axis', 'w', 'str')).equal('operation.parameter.axis: service.invalid.choice');
  });

  it('accept any number and text for a remote service, which may have other limits', () => {
    const checkRemote = (operation: string, name: string, value: string, type: string) =>
      dialogs.checkOperation({ operation, parameters: { [name]: { value, type } } }, false, OFFERED);
    should(checkRemote('thumbnail', 'width', '8192', 'num')).be.undefined();
    should(checkRemote('scale', 'axis', 'w', 'str')).be.undefined();
    should(checkRemote('thumbnail', 'width', 'wide', 'num')).match(/invalid.number$/);
    should(checkRemote('scale', 'axis', '', 'str')).match(/invalid.text$/);
  });

  it('require a valid name for a custom operation', () => {
    const step = { operation: CUSTOM_OPERATION, ownOperation: 'Smooth' };
    should(dialogs.checkOperation(step, false, OFFERED)).equal(
      'operation.label.ownOperation: service.invalid.operationName',
    );
  });

  it('reject a saved operation that they do not offer, also for a remote service', () => {
    for (const operation of ['preview', 'Repair', ''])
      should(dialogs.checkOperation({ operation }, false, OFFERED)).equal(
        'operation.label.operation: service.invalid.choice',
      );
    should(dialogs.checkOperation({}, false, OFFERED)).be.undefined();
  });

  it('accept an environment variable in place of an operation, which Node-RED replaces when the node starts', () => {
    should(dialogs.checkOperation({ operation: '$(OPERATION)' }, false, OFFERED)).be.undefined();
  });
});

describe('the suggestions of the dialogs', () => {
  const readType = async (name: string, field: string) => {
    const { typedInputs } = await readEditorHalf(name);
    return typedInputs.find((typed) => typed.field === field)?.types.find((type) => typeof type === 'object');
  };

  it('are the units of model import', async () => {
    const type = await readType('import', 'measurementUnits');
    type
      ?.autoComplete?.('')
      .map(({ value }) => value)
      .should.deepEqual(IMPORT.parameters.measurementUnits.names);
  });

  it('are the formats of model export: those that match the input, or all if the input is a format', async () => {
    const type = await readType('export', 'exportToFormat');
    const offered = (text: string) => type?.autoComplete?.(text).map(({ value }) => value);
    should(offered('')).deepEqual(EXPORT.parameters.exportToFormat.names);
    should(offered('ob')).deepEqual(['obj']);
    should(offered('stl')).deepEqual(EXPORT.parameters.exportToFormat.names);
  });

  it('are the bundled samples, and each of these files exists', async () => {
    const type = await readType('upload', 'source');
    type?.options?.map(({ value }) => value).should.deepEqual([...SAMPLES]);
    for (const sample of SAMPLES) await access(`samples/${sample}`);
  });
});

describe('the label of an operation node', () => {
  it('is the operation, or the name of a custom operation', async () => {
    const { label } = await readEditorHalf('operation');
    label({ operation: 'thumbnail' }).should.equal('operation.operation.thumbnail');
    label({ operation: 'other', ownOperation: 'smooth' }).should.equal('smooth');
    label({ operation: 'other', ownOperation: '' }).should.equal('operation.paletteLabel');
    label({}).should.equal('operation.paletteLabel');
  });
});
