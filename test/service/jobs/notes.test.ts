import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import should from 'should';
import { sumEntries } from '../../../src/mesh/analysis/ledger-numbers.js';
import { parseInternal } from '../../../src/mesh/formats/internal-format.js';
import type { JobResult } from '../../../src/service/kernel/messages.js';
import { sphere } from '../support/models.js';
import { performInFolder } from '../support/perform-in-folder.js';

const REASON = 'incomplete file: 99 % of the triangles';

/** A cube of 10 mm with a fin on an edge: a wall without thickness, drawn from both sides. */
const CUBE_WITH_FIN = `OFF
10 16 0
0 0 0
10 0 0
10 10 0
0 10 0
0 0 10
10 0 10
10 10 10
0 10 10
0 0 30
10 0 30
3 0 2 1
3 0 3 2
3 4 5 6
3 4 6 7
3 0 1 5
3 0 5 4
3 1 2 6
3 1 6 5
3 2 3 7
3 2 7 6
3 3 0 4
3 3 4 7
3 4 5 9
3 4 9 8
3 9 5 4
3 8 9 4
`;

describe('the notes of an import', () => {
  let folder: string;

  before(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), 'notes-'));
  });

  after(() => rm(folder, { recursive: true, force: true }));

  const perform = (operation: string, input: string, parameters?: object): Promise<JobResult> =>
    performInFolder(folder, operation, input, parameters);

  async function importFile(name: string, bytes: Uint8Array): Promise<JobResult> {
    await writeFile(path.join(folder, name), bytes);
    return perform('import', name);
  }

  const CHANGES: [string, object][] = [
    ['repair', {}],
    ['geometrical-repair', {}],
    ['shrinkwrap-repair', { accuracy: 'Rough' }],
    ['scale', { axis: 'z', scaleToSizeMm: 5 }],
    ['reduce-triangles', { accuracyMm: 0.01, maxAngle: 10, targetTriangles: 0, numberOfIterations: 1 }],
  ];

  it('are in the report of each later operation, and stored with its model', async () => {
    await importFile('cut.stl', sphere(20, 20).subarray(0, -50 * 3));
    for (const [operation, parameters] of CHANGES) {
      const { report } = await perform(operation, 'import', parameters);
      should(report?.warnings[0]?.code).equal('TRUNCATED', operation);
      should(report?.verdict).match({ needsRepair: true }, operation);
      should(report?.verdict.reasons[0]).equal(REASON, operation);
      const { notes } = parseInternal(await readFile(path.join(folder, operation)));
      notes.reasons.should.deepEqual([REASON], operation);
      const { fields } = await perform('analyze', operation);
      should(fields).match({ verdict: { needsRepair: true, reasons: [REASON] } }, operation);
    }
  });

  it('are kept through a chain of operations, up to the preview and the report of an export', async () => {
    await importFile('cut.stl', sphere(20, 20).subarray(0, -50 * 3));
    await perform('repair', 'import');
    await perform('scale', 'repair', { axis: 'z', scaleToSizeMm: 50 });
    const hollowed = await perform('hollowing', 'scale', {
      ...{ wallThicknessMm: 5, direction: 'inward', drainHoleCount: 0, drainHoleDiameterMm: 5, upAxis: 'z' },
    });
    should(hollowed.report?.verdict).deepEqual({ level: 'solid', needsRepair: true, reasons: [REASON] });
    await perform('preview', 'hollowing', { triangles: 1000 });
    (await readFile(path.join(folder, 'preview'))).includes(REASON).should.be.true();
    should((await perform('export', 'hollowing', { exportToFormat: 'stl' })).report).be.undefined();
  });

  it('have the reasons that a repair adds, once, at each later operation', async () => {
    const dropped = 'walls without thickness were dropped';
    await importFile('fin.off', Buffer.from(CUBE_WITH_FIN));
    should((await perform('repair', 'import')).report?.verdict).deepEqual({
      ...{ level: 'solid', needsRepair: true, reasons: [dropped] },
    });
    should((await perform('analyze', 'repair')).fields).match({ verdict: { needsRepair: true, reasons: [dropped] } });
    const scaled = await perform('scale', 'repair', { axis: 'z', scaleToSizeMm: 50 });
    should(scaled.report?.verdict.reasons).deepEqual([dropped]);
    const again = await perform('geometrical-repair', 'scale');
    should(again.report?.verdict).deepEqual({ level: 'solid', needsRepair: true, reasons: [dropped] });
  });

  it('do not pass to another import', async () => {
    await importFile('cut.stl', sphere(20, 20).subarray(0, -50 * 3));
    await perform('repair', 'import');
    await perform('export', 'repair', { exportToFormat: 'stl' });
    const { report } = await importFile('again.stl', await readFile(path.join(folder, 'export')));
    should(report?.verdict).deepEqual({ level: 'solid', needsRepair: false, reasons: [] });
  });

  it('add up from the file to the result of each operation', async () => {
    const file = Buffer.from(sphere(20, 20));
    const { report: imported } = await importFile('cut.stl', file.subarray(0, -50 * 3));
    should(imported?.skipped).deepEqual({ triangles: 3 });
    should(Number(imported?.after.triangles) + 3).equal(file.readUInt32LE(80));
    for (const [operation, parameters] of CHANGES) {
      const { report } = await perform(operation, 'import', parameters);
      should(report?.skipped).deepEqual({ triangles: 3 }, operation);
      const { before, after, steps = [] } = report ?? {};
      const { triangles, shells, volumeMm3 } = sumEntries(steps);
      should(triangles).equal(Number(after?.triangles) - Number(before?.triangles), operation);
      should(shells).equal(Number(after?.shells) - Number(before?.shells), operation);
      should(volumeMm3).be.approximately(Number(report?.volumeChangeMm3), 1e-6, operation);
      for (const step of steps) if (Object.keys(step).length > 2) should(step.reason).be.a.String();
    }
  });
});
