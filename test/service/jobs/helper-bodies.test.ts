import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import should from 'should';
import { parseInternal } from '../../../src/mesh/formats/internal-format.js';
import type { JobResult } from '../../../src/service/kernel/messages.js';
import { prusaProject, type SlicerBox } from '../../mesh/formats/helper-bodies/slicer-files.js';
import { performInFolder } from '../support/perform-in-folder.js';

const BODY: SlicerBox = { min: [0, 0, 0], max: [20, 20, 10], name: 'body' };
/** A part that overlaps the body. */
const KNOB: SlicerBox = { min: [5, 5, 5], max: [15, 15, 20], name: 'knob' };
const HOLE: SlicerBox = { min: [8, 8, 15], max: [12, 12, 40], name: 'hole', role: 'NegativeVolume' };

const CHANGES: [string, object][] = [
  ['repair', {}],
  ['geometrical-repair', {}],
  ['shrinkwrap-repair', { accuracy: 'Rough' }],
  ['reduce-triangles', { accuracyMm: 0.01, maxAngle: 10, targetTriangles: 0, numberOfIterations: 1 }],
  ['hollowing', { wallThicknessMm: 2, direction: 'inward', drainHoleCount: 0, drainHoleDiameterMm: 5, upAxis: 'z' }],
];

describe('an import of a file with helper bodies', () => {
  let folder: string;

  before(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), 'helper-bodies-'));
  });

  after(() => rm(folder, { recursive: true, force: true }));

  const perform = (operation: string, input: string, parameters?: object): Promise<JobResult> =>
    performInFolder(folder, operation, input, parameters);

  async function importProject(boxes: readonly SlicerBox[], parameters?: object): Promise<JobResult> {
    await writeFile(path.join(folder, 'a.3mf'), prusaProject([boxes]));
    return perform('import', 'a.3mf', parameters);
  }

  const readModel = async (name: string) => parseInternal(await readFile(path.join(folder, name)));

  it('subtracts negative volumes by default', async () => {
    const { report } = await importProject([BODY, HOLE, { ...HOLE, min: [8, 8, 5] }]);
    should(report?.verdict).deepEqual({ level: 'solid', needsRepair: false, reasons: [] });
    should(report?.after.volumeMm3).be.approximately(4000 - 80, 1e-6);
    should(report?.warnings[0]?.code).equal('NEGATIVES_SUBTRACTED');
  });

  it('judges and counts the parts only if they are kept', async () => {
    const { report } = await importProject([BODY, HOLE], { helpers: 'keep' });
    should(report?.after).match({ triangles: 12, shells: 1, dimensionZMm: 10 });
    should(report?.verdict.level).equal('solid');
    should((await perform('analyze', 'import')).fields).match({ triangles: 12, dimensionZMm: 10 });
  });

  it('keeps them unchanged through operations that change the parts', async () => {
    await importProject([BODY, KNOB, HOLE], { helpers: 'keep' });
    const { helpers } = await readModel('import');
    should(helpers?.objects).match([{ name: 'hole', role: 'negative' }]);
    for (const [operation, parameters] of CHANGES) {
      const { report } = await perform(operation, operation === 'repair' ? 'import' : 'repair', parameters);
      should(report?.after.dimensionZMm).be.approximately(20, 2, operation);
      should((await readModel(operation)).helpers).deepEqual(helpers, operation);
    }
  });

  it('scales them with the parts', async () => {
    await importProject([BODY, HOLE], { helpers: 'keep' });
    await perform('scale', 'import', { axis: 'z', scaleToSizeMm: 20 });
    const { helpers } = await readModel('scale');
    should(helpers && Math.max(...helpers.positions)).equal(80);
  });

  it('exports them to 3MF, and leaves them out of other formats with a warning', async () => {
    await importProject([BODY, HOLE], { helpers: 'keep' });
    should((await perform('export', 'import', { exportToFormat: '3mf' })).report).be.undefined();
    await writeFile(path.join(folder, 'b.3mf'), await readFile(path.join(folder, 'export')));
    const { report } = await perform('import', 'b.3mf');
    should(report?.warnings[0]?.message).equal('1 negative volume was subtracted: “hole”.');
    await importProject([BODY, HOLE], { helpers: 'keep' });
    const exported = await perform('export', 'import', { exportToFormat: 'stl' });
    should(exported.report?.after.triangles).equal(12);
    should(exported.report?.warnings.map(({ code }) => code)).containEql('HELPERS_DROPPED');
    should((await readFile(path.join(folder, 'export'))).readUInt32LE(80)).equal(12);
  });

  it('says that negative volumes could not be subtracted at each later operation', async () => {
    const flat: SlicerBox = { ...HOLE, min: [8, 8, 5], max: [12, 12, 5] };
    const { report } = await importProject([BODY, flat]);
    should(report?.verdict).match({ needsRepair: true, reasons: ['negative volumes could not be subtracted'] });
    const repaired = await perform('repair', 'import');
    should(repaired.report?.verdict.needsRepair).be.true();
  });
});
