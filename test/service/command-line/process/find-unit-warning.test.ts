import should from 'should';
import type { ModelRecord } from '../../../../nodes/shared/message/model-record.js';
import { warnIfUnitsImplausible } from '../../../../nodes/shared/message/unit-plausibility.js';
import type { Report } from '../../../../src/api/index.js';
import { analyze } from '../../../../src/mesh/analysis/analyze.js';
import { IMPORT_FORMATS } from '../../../../src/mesh/formats/registry.js';
import { findUnitWarning } from '../../../../src/service/command-line/process/find-unit-warning.js';
import { makeCube } from '../../../mesh/models/cube.js';

describe('findUnitWarning', () => {
  const analysisOf = (sizeMm: number) => ({
    ...analyze(makeCube()),
    dimensionXMm: sizeMm,
    dimensionYMm: 0.5,
    dimensionZMm: 0,
  });

  /** Returns the warning that the nodes add for an import of this file, in inch, of this size. */
  function findWarningOfNodes(sizeMm: number, filename: string) {
    const record: ModelRecord = { operations: [], warnings: [] };
    const entry = { operation: 'import', operationId: 'i', parameters: { measurementUnits: 'inch' } };
    const report = {
      after: analysisOf(sizeMm),
      warnings: [],
      verdict: { level: 'solid', needsRepair: false, reasons: [] },
    };
    // Only the part of the report that is read.
    warnIfUnitsImplausible(
      record,
      entry,
      { operationId: 'i', resultId: 'm', report: report as unknown as Report },
      filename,
    );
    return record.warnings[0];
  }

  for (const size of [0.156, 0.999_999, 1, 57, 2000, 2000.01, 123_456]) {
    it(`returns the warning of the nodes for a size of ${size} mm`, () => {
      should(findUnitWarning(analysisOf(size), 'part.stl', 'inch')).deepEqual(findWarningOfNodes(size, 'part.stl'));
    });
  }

  it('returns the warning of the nodes for each format', () => {
    for (const extension of IMPORT_FORMATS.flatMap(({ extensions }) => extensions)) {
      const filename = `part.${extension}`;
      should(findUnitWarning(analysisOf(5000), filename, 'inch')).deepEqual(
        findWarningOfNodes(5000, filename),
        filename,
      );
    }
  });

  it('names the size with three digits, and the unit', () => {
    findUnitWarning(analysisOf(25_412), 'part.stl', 'inch')?.message.should.equal(
      'The largest dimension of the model is 25400 mm. Check whether the file is really in inch; nothing was rescaled.',
    );
  });

  it('refers to the unit in the file if the format declares one', () => {
    findUnitWarning(analysisOf(5000), 'part.step', 'inch')?.message.should.match(
      /Check the unit that the file declares; nothing/,
    );
  });

  it('does not say which unit the model in a ZIP has', () => {
    findUnitWarning(analysisOf(5000), 'part.ZIP', 'inch')?.message.should.match(
      /mm\. Check the unit of the model in the ZIP; nothing/,
    );
  });
});
