import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import should from 'should';
import { parseInternal, serializeInternal } from '../../../src/mesh/formats/internal-format.js';
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

  it('becomes one solid by a repair that unites them, which names them and is analyzed as a whole', async () => {
    await importAs('3mf');
    const { report } = await perform('repair', 'import', { parts: 'unite' });
    should(report?.before.nonManifoldEdges).be.above(0);
    should(report?.after.parts).be.undefined();
    should(report?.verdict.level).equal('solid');
    should(report?.after.volumeMm3).be.approximately(16_000, 0.1);
    should(report?.unitedParts).deepEqual(['left', 'right']);
    should(report?.warnings).deepEqual([{ code: 'PARTS_UNITED', message: '2 parts were united: left, right.' }]);
  });

  for (const format of ['3mf', 'amf', 'obj', 'glb'])
    it(`is kept by a repair as ${format}, by default and with keep`, async () => {
      await importAs(format);
      for (const parameters of [{}, { parts: 'keep' }]) {
        const { report } = await perform('repair', 'import', parameters);
        should(report?.after).match({ triangles: 24, shells: 2, parts: { count: 2, overlapMm3: 0 } });
        should(report?.warnings).deepEqual([]);
        should(report?.unitedParts).be.undefined();
        const { objects, notes } = parseInternal(await readFile(path.join(folder, 'repair')));
        should(objects?.map(({ name }) => name)).deepEqual(['left', 'right']);
        should(notes.hasParts).be.true();
      }
    });

  it('is united as an STL, whatever the parameter says', async () => {
    for (const format of ['stl', 'stl-ascii'])
      for (const parts of ['keep', 'unite']) {
        await importAs(format);
        const { report } = await perform('repair', 'import', { parts });
        should(report?.after).match({ shells: 1 }, `${format} ${parts}`);
        should(report?.unitedParts).be.undefined();
      }
  });

  it('is united by default if an earlier version imported it', async () => {
    await importAs('3mf');
    const { notes, analyzed, ...mesh } = parseInternal(await readFile(path.join(folder, 'import')));
    const { hasParts: _, ...earlier } = notes;
    await writeFile(path.join(folder, 'earlier'), Buffer.concat([...serializeInternal(mesh, analyzed, earlier)]));
    const { report } = await perform('repair', 'earlier');
    should(report?.after).match({ shells: 1 });
  });

  it('is kept by a geometrical repair', async () => {
    await importAs('3mf');
    const { report } = await perform('geometrical-repair', 'import');
    should(report?.after).match({ triangles: 24, shells: 2 });
  });

  /** Two boxes that share an oblique face, whose corners float32 does not represent. */
  const OBLIQUE = (() => {
    const [cos, sin] = [Math.cos(0.3), Math.sin(0.3)];
    const positions = TOUCHING.positions.map((value, i) => {
      const [x = 0, y = 0] = TOUCHING.positions.subarray(i - (i % 3));
      return [x * cos - y * sin, x * sin + y * cos, value / 3][i % 3] ?? 0;
    });
    return { ...TOUCHING, positions };
  })();

  const HOLLOWING = {
    ...{ wallThicknessMm: 3, direction: 'inward', drainHoleCount: 0, drainHoleDiameterMm: 3, upAxis: 'z' },
  };

  it('is hollowed inside each part, whose object takes in its cavity', async () => {
    await importAs('3mf');
    for (const drainHoleCount of [0, 1]) {
      const { report } = await perform('hollowing', 'import', { ...HOLLOWING, drainHoleCount });
      should(report?.verdict).deepEqual({ level: 'solid', needsRepair: false, reasons: [] });
      should(report?.after.parts).match({ count: 2 });
      should(report?.steps[0]).match({ name: 'hollowing', changed: 2, reason: 'cavities were made' });
      should(report?.after.volumeMm3).be.within(9000, 12_500);
      const { objects = [], triangles } = parseInternal(await readFile(path.join(folder, 'hollowing')));
      objects.map(({ name }) => name).should.deepEqual(['left', 'right']);
      objects.reduce((sum, { triangleCount }) => sum + triangleCount, 0).should.equal(triangles.length / 3);
      await perform('export', 'hollowing', { exportToFormat: '3mf' });
      await copyFile(path.join(folder, 'export'), path.join(folder, 'again.3mf'));
      const again = await perform('import', 'again.3mf');
      should(again.report?.after.volumeMm3).be.approximately(Number(report?.after.volumeMm3), 1e-6);
      should(again.report?.verdict.level).equal('solid');
      await importAs('3mf');
    }
  });

  it('is not hollowed outward, with the reason', async () => {
    await importAs('3mf');
    await perform('hollowing', 'import', { ...HOLLOWING, direction: 'outward' }).should.be.rejectedWith(
      /2 parts that touch or overlap.* Unite them by a repair/,
    );
  });

  it('names the parts that have no room for a cavity', async () => {
    const small = {
      ...joined(placed(makeCube(), [0, 0, 0], 10), placed(makeCube(), [11, 0, 0], 1)),
      objects: TOUCHING.objects,
    };
    await writeFile(path.join(folder, 'small.3mf'), Buffer.concat([...serializeModel(small, '3mf')]));
    await perform('import', 'small.3mf');
    const { report } = await perform('hollowing', 'import', HOLLOWING);
    should(report?.warnings.find(({ code }) => code === 'PARTS_FILLED')?.message).equal(
      '1 part has no room for a cavity and stays filled: right.',
    );
  });

  it('stays solid in formats of float32, each part by itself', async () => {
    await writeFile(path.join(folder, 'oblique.3mf'), Buffer.concat([...serializeModel(OBLIQUE, '3mf')]));
    should((await perform('import', 'oblique.3mf')).report?.verdict.level).equal('solid');
    for (const exportToFormat of ['glb', 'stl', 'ply', 'obj', 'amf', '3mf']) {
      should((await perform('export', 'import', { exportToFormat })).report).be.undefined();
    }
    await perform('export', 'import', { exportToFormat: 'glb' });
    await copyFile(path.join(folder, 'export'), path.join(folder, 'oblique.glb'));
    const { report } = await perform('import', 'oblique.glb');
    should(report?.verdict).deepEqual({ level: 'solid', needsRepair: false, reasons: [] });
  });

  it('has no thin walls where its parts touch', async () => {
    await importAs('3mf');
    const parameters = { minimalWallThicknessMm: 1, accuracyWallThickness: 2 };
    const { fields } = await perform('wall-thickness-analysis', 'import', parameters);
    should(fields).match({ hasThinWalls: false, hasPossibleThinWalls: false, thinnestPlaces: [] });
  });

  it('is one part once it was united', async () => {
    await importAs('3mf');
    await perform('repair', 'import', { parts: 'unite' });
    should(parseInternal(await readFile(path.join(folder, 'repair'))).notes.hasParts).be.undefined();
  });
});
