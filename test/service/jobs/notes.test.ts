import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import should from 'should';
import { parseInternal } from '../../../src/mesh/formats/internal-format.js';
import { performJob } from '../../../src/service/jobs/perform-job.js';
import type { Job, JobResult } from '../../../src/service/kernel/messages.js';
import { sphere } from '../support/models.js';

const REASON = 'incomplete file: 99 % of the triangles';
const MEMORY_BYTES = 1024 ** 3;

describe('the notes of an import', () => {
  let folder: string;

  before(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), 'notes-'));
  });

  after(() => rm(folder, { recursive: true, force: true }));

  /** Runs a job on a file of the folder. Its output is the file that is named after it. */
  async function perform(operation: string, input: string, parameters: object = {}): Promise<JobResult> {
    const [inputPath, outputPath] = [path.join(folder, input), path.join(folder, operation)];
    const job: Job = {
      ...{ operation, inputPath, filename: input, parameters: { ...parameters } },
      ...(operation !== 'analyze' && { outputPath }),
      ...{ memoryBytes: MEMORY_BYTES, checksOwnMemory: false },
    };
    const outcome = await performJob(job, () => undefined);
    if (outcome.type !== 'done') throw new Error(outcome.message);
    return outcome.result;
  }

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

  it('do not pass to another import', async () => {
    await importFile('cut.stl', sphere(20, 20).subarray(0, -50 * 3));
    await perform('repair', 'import');
    await perform('export', 'repair', { exportToFormat: 'stl' });
    const { report } = await importFile('again.stl', await readFile(path.join(folder, 'export')));
    should(report?.verdict).deepEqual({ level: 'solid', needsRepair: false, reasons: [] });
  });
});
