import 'should';
import should from 'should';
import type { ModelRecord, OperationEntry } from '../../../../nodes/shared/message/model-record.js';
import { warnIfUnitsImplausible } from '../../../../nodes/shared/message/unit-plausibility.js';
import type { Report } from '../../../../src/api/index.js';

const IMPORT: OperationEntry = { operation: 'import', operationId: 'i', parameters: { measurementUnits: 'inch' } };

function createDimensions(x: number, y: number, z: number) {
  return { dimensionXMm: x, dimensionYMm: y, dimensionZMm: z };
}

/** Creates the result of an import with these dimensions in its report, like the local service. */
function createImportResult(x: number, y: number, z: number) {
  const report = { after: createDimensions(x, y, z), warnings: [], verdict: { level: 'solid', reasons: [] } };
  // Only the part of the report that is read.
  return { operationId: 'i', resultId: 'm', report: report as unknown as Report };
}

describe('warnIfUnitsImplausible', () => {
  let record: ModelRecord;

  beforeEach(() => {
    record = { operations: [], warnings: [] };
  });

  it('warns with size and unit if the largest dimension is below 1 mm', () => {
    const warning = warnIfUnitsImplausible(record, IMPORT, createImportResult(0.2, 0.99, 0.5), 'part.stl');
    should(warning).deepEqual({
      code: 'UNITS_DOUBTFUL',
      message:
        'The largest dimension of the model is 0.99 mm. Check whether the file is really in inch; nothing was rescaled.',
    });
    record.warnings.should.deepEqual([warning]);
  });

  it('refers to the unit in the file if its format declares one', () => {
    warnIfUnitsImplausible(record, IMPORT, createImportResult(0.2, 0.99, 0.5), 'PART.STEP');
    should(record.warnings[0]?.message).match(/0\.99 mm\. Check the unit that the file declares; nothing/);
  });

  it('does not say which unit the model in a ZIP has', () => {
    warnIfUnitsImplausible(record, IMPORT, createImportResult(0.2, 0.99, 0.5), 'part.zip');
    should(record.warnings[0]?.message).match(/0\.99 mm\. Check the unit of the model in the ZIP; nothing/);
  });

  it('warns if the largest dimension is above 2 m', () => {
    should(warnIfUnitsImplausible(record, IMPORT, createImportResult(10, 2000.5, 1), undefined)?.message).match(
      /2000 mm/,
    );
    record.warnings.length.should.equal(1);
  });

  it('does not warn from 1 mm to 2 m, inclusive', () => {
    for (const side of [1, 50, 2000])
      should(warnIfUnitsImplausible(record, IMPORT, createImportResult(side, 0.1, 0), 'part.stl')).be.undefined();
    record.warnings.should.be.empty();
  });

  it('does not warn if the report has no size, or a size of zero', () => {
    const bare = { operationId: 'i', resultId: 'm' };
    should(warnIfUnitsImplausible(record, IMPORT, bare, 'part.stl')).be.undefined();
    should(warnIfUnitsImplausible(record, IMPORT, createImportResult(0, 0, 0), 'part.stl')).be.undefined();
    should(
      warnIfUnitsImplausible(record, IMPORT, { ...bare, ...createDimensions(0.1, 0.1, 0.1) }, 'part.stl'),
    ).be.undefined();
    record.warnings.should.be.empty();
  });

  it('warns once on an analysis of the imported model if the import reported no size', () => {
    record.operations.push({ ...IMPORT, result: { operationId: 'i', resultId: 'm' } });
    const analyze: OperationEntry = { operation: 'analyze', operationId: 'a', inputId: 'm', parameters: {} };
    const result = { operationId: 'a', ...createDimensions(0.3, 0.2, 0.1) };
    should(warnIfUnitsImplausible(record, analyze, result, 'part.stl')?.code).equal('UNITS_DOUBTFUL');
    should(record.warnings[0]?.message).match(/really in inch/);
    should(warnIfUnitsImplausible(record, analyze, result, 'part.stl')).be.undefined();
    record.warnings.length.should.equal(1);
  });

  it('does not warn on an analysis of another model, such as a scaled one', () => {
    record.operations.push({ ...IMPORT, result: { operationId: 'i', resultId: 'm' } }, { ...IMPORT, operationId: 'j' });
    for (const input of [{ inputId: 'scaled' }, {}]) {
      const analyze = { operation: 'analyze', operationId: 'a', parameters: {}, ...input };
      should(
        warnIfUnitsImplausible(record, analyze, { operationId: 'a', ...createDimensions(0.3, 0.2, 0.1) }, 'part.stl'),
      ).be.undefined();
    }
  });
});
