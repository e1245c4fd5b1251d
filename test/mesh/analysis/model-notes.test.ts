import 'should';
import { analyzeWithPlaces } from '../../../src/mesh/analysis/analyze.js';
import { addNotes, NO_NOTES } from '../../../src/mesh/analysis/model-notes.js';
import { createUnchangedReport } from '../../../src/mesh/analysis/unchanged-report.js';
import { makeCube } from '../models/cube.js';
import { without } from '../models/mesh-of.js';

describe('addNotes', () => {
  const solid = createUnchangedReport(analyzeWithPlaces(makeCube()));
  const open = createUnchangedReport(analyzeWithPlaces(without(makeCube(), 0)));
  const notes = { warnings: [{ code: 'TRUNCATED', message: 'cut' } as const], reasons: ['incomplete file'] };

  it('sets needsRepair for a reason, and keeps the level', () => {
    addNotes(solid, notes).verdict.should.deepEqual({
      level: 'solid',
      needsRepair: true,
      reasons: ['incomplete file'],
    });
    addNotes(open, notes).verdict.should.deepEqual({
      ...{ level: 'open', needsRepair: true },
      reasons: ['incomplete file', '3 boundary edges'],
    });
  });

  it('lists the warnings of the import before those of the operation', () => {
    const report = { ...solid, warnings: [{ code: 'VOLUME_CHANGED', message: 'more' } as const] };
    addNotes(report, notes)
      .warnings.map(({ code }) => code)
      .should.deepEqual(['TRUNCATED', 'VOLUME_CHANGED']);
  });

  it('changes nothing without notes, nor for warnings alone', () => {
    addNotes(solid, NO_NOTES).should.deepEqual(solid);
    addNotes(solid, { ...notes, reasons: [] }).verdict.should.deepEqual(solid.verdict);
  });
});
