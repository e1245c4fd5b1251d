import 'should';
import should from 'should';
import type { ModelRecord, OperationEntry } from '../../../../nodes/shared/message/model-record.js';
import { warnIfUnitsImplausible } from '../../../../nodes/shared/message/unit-plausibility.js';
import type { Report } from '../../../../src/api/index.js';

const IMPORT: OperationEntry = { operation: 'import', operationId: 'i', parameters: { measurementUnits: 'inch' } };

function sides(x: number, y: number, z: number) {
  return { dimensionXMm: x, dimensionYMm: y, dimensionZMm: z };
}

/** The result of an import whose model has these sides, as the local service tells it. */
function reported(x: number, y: number, z: number) {
  const report = { after: sides(x, y, z), warnings: [], verdict: { level: 'solid', reasons: [] } };
  // The part of a report that is looked at here.
  return { operationId: 'i', resultId: 'm', report: report as unknown as Report };
}

describe('the warning of doubtful units', () => {
  let record: ModelRecord;

  beforeEach(() => {
    record = { operations: [], warnings: [] };
  });

  it('comes when the largest dimension is below 1 mm, and names the size and the unit', () => {
    should(warnIfUnitsImplausible(record, IMPORT, reported(0.2, 0.99, 0.5))).equal('0.99 mm?');
    record.warnings.map(({ code }) => code).should.deepEqual(['UNITS_DOUBTFUL']);
    should(record.warnings[0]?.message).match(/0\.99 mm\. Check whether the file is really in inch;/);
  });

  it('comes when the largest dimension is above 2 m', () => {
    should(warnIfUnitsImplausible(record, IMPORT, reported(10, 2000.5, 1))).equal('2000 mm?');
    record.warnings.length.should.equal(1);
  });

  it('does not come between, both ends included', () => {
    for (const side of [1, 50, 2000])
      should(warnIfUnitsImplausible(record, IMPORT, reported(side, 0.1, 0))).be.undefined();
    record.warnings.should.be.empty();
  });

  it('does not come without a size, or with one that is none', () => {
    const bare = { operationId: 'i', resultId: 'm' };
    should(warnIfUnitsImplausible(record, IMPORT, bare)).be.undefined();
    should(warnIfUnitsImplausible(record, IMPORT, reported(0, 0, 0))).be.undefined();
    should(warnIfUnitsImplausible(record, IMPORT, { ...bare, ...sides(0.1, 0.1, 0.1) })).be.undefined();
    record.warnings.should.be.empty();
  });

  it('comes with an analysis of the imported model where the import told no size, once', () => {
    record.operations.push({ ...IMPORT, result: { operationId: 'i', resultId: 'm' } });
    const analyze: OperationEntry = { operation: 'analyze', operationId: 'a', inputId: 'm', parameters: {} };
    const result = { operationId: 'a', ...sides(0.3, 0.2, 0.1) };
    should(warnIfUnitsImplausible(record, analyze, result)).equal('0.3 mm?');
    should(record.warnings[0]?.message).match(/really in inch/);
    should(warnIfUnitsImplausible(record, analyze, result)).be.undefined();
    record.warnings.length.should.equal(1);
  });

  it('does not come with an analysis of any other model, as of one that was scaled', () => {
    record.operations.push({ ...IMPORT, result: { operationId: 'i', resultId: 'm' } }, { ...IMPORT, operationId: 'j' });
    for (const given of [{ inputId: 'scaled' }, {}]) {
      const analyze = { operation: 'analyze', operationId: 'a', parameters: {}, ...given };
      should(warnIfUnitsImplausible(record, analyze, { operationId: 'a', ...sides(0.3, 0.2, 0.1) })).be.undefined();
    }
  });
});
