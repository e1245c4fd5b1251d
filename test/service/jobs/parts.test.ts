import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import should from 'should';
import { serializeModel } from '../../../src/mesh/formats/serialize-model.js';
import type { JobResult } from '../../../src/service/kernel/messages.js';
import { makeCube } from '../../mesh/models/cube.js';
import { joined, placed } from '../../mesh/models/mesh-of.js';
import { performInFolder } from '../support/perform-in-folder.js';

/** Two cubes of 20 mm that touch at a face, as two objects. */
const TOUCHING = {
  ...joined(placed(makeCube(), [0, 0, 0], 10), placed(makeCube(), [20, 0, 0], 10)),
  objects: [
    { name: 'left', firstTriangle: 0, triangleCount: 12 },
    { name: 'right', firstTriangle: 12, triangleCount: 12 },
  ],
};

describe('a model with parts that touch', () => {
  let folder: string;

  before(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), 'parts-'));
  });

  after(() => rm(folder, { recursive: true, force: true }));

  const perform = (operation: string, input: string, parameters?: object): Promise<JobResult> =>
    performInFolder(folder, operation, input, parameters);

  async function importAs(format: string): Promise<JobResult> {
    const name = `a.${format.split('-')[0]}`;
    await writeFile(path.join(folder, name), Buffer.concat([...serializeModel(TOUCHING, format)]));
    return perform('import', name);
  }

  for (const format of ['3mf', 'amf', 'obj', 'glb'])
    it(`is solid as ${format}, whose objects are parts`, async () => {
      const { report } = await importAs(format);
      should(report?.verdict).deepEqual({ level: 'solid', needsRepair: false, reasons: [] });
      should(report?.after).match({ badEdges: 0, parts: { count: 2, overlapMm3: 0 } });
    });

  for (const format of ['stl', 'stl-ascii'])
    it(`is one part with edges of four triangles as ${format}`, async () => {
      const { report } = await importAs(format);
      should(report?.verdict.level).equal('watertight');
      should(report?.verdict.reasons[0]).equal('4 edges have four triangles');
      should(report?.after.parts).be.undefined();
    });

  it('stays solid when it is scaled or reduced', async () => {
    await importAs('3mf');
    for (const [operation, parameters] of [
      ['scale', { axis: 'z', scaleToSizeMm: 5 }],
      ['reduce-triangles', { accuracyMm: 0.01, maxAngle: 10, targetTriangles: 0, numberOfIterations: 1 }],
    ] as const) {
      const { report } = await perform(operation, 'import', parameters);
      should(report?.before.parts).match({ count: 2 }, operation);
      should(report?.verdict.level).equal('solid', operation);
    }
  });

  it('becomes one solid by a repair, which is analyzed as a whole', async () => {
    await importAs('3mf');
    const { report } = await perform('repair', 'import');
    should(report?.before.nonManifoldEdges).be.above(0);
    should(report?.after.parts).be.undefined();
    should(report?.verdict.level).equal('solid');
    should(report?.after.volumeMm3).be.approximately(16_000, 0.1);
  });
});
