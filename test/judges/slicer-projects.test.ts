import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import should from 'should';
import { analyze } from '../../src/mesh/analysis/analyze.js';
import type { HelperHandling } from '../../src/mesh/formats/helper-bodies/body-placer.js';
import { parseModelSync } from '../../src/mesh/formats/parse-model.js';
import { serializeModel } from '../../src/mesh/formats/serialize-model.js';
import { prusaProject, type SlicerBox } from '../mesh/formats/helper-bodies/slicer-files.js';

const TIMEOUT_MS = 60_000;

const BODY: SlicerBox = { min: [-10, -10, 0], max: [10, 10, 10], name: 'body' };
const LID: SlicerBox = { min: [-10, -10, 10], max: [10, 10, 12], name: 'lid' };
const HOLE: SlicerBox = { min: [-5, -5, 5], max: [5, 5, 30], name: 'hole', role: 'NegativeVolume' };
const OTHERS = ['ParameterModifier', 'SupportEnforcer', 'SupportBlocker'].map((role, index): SlicerBox => {
  return { min: [-2, -2, 20 + index * 10], max: [2, 2, 25 + index * 10], name: role, role };
});
/** The volume of the body and the lid without the hole. */
const CUT_MM3 = 4000 + 800 - 500 - 200;

describe('projects of PrusaSlicer', () => {
  let folder: string;
  before(() => {
    folder = mkdtempSync(path.join(os.tmpdir(), 'judge-'));
  });
  after(() => rmSync(folder, { recursive: true }));

  const run = (...args: string[]): string =>
    execFileSync('prusa-slicer', args, { cwd: folder, encoding: 'latin1', timeout: TIMEOUT_MS });

  /** Returns what PrusaSlicer says of the parts of a file, without its name. */
  const describeFile = (name: string): string[] =>
    run('--info', name)
      .split('\n')
      .filter((line) => /^(?:size_|number_of_facets|manifold|volume)/.test(line));

  const read = (filename: string, helpers?: HelperHandling) => {
    const model = parseModelSync(readFileSync(path.join(folder, filename)), { filename, helpers });
    return { ...model, volumeMm3: analyze(model.mesh).volumeMm3 };
  };

  /** Writes a project, as PrusaSlicer writes it again, and as this package writes it with its helper bodies. */
  const writeProjects = (): void => {
    writeFileSync(path.join(folder, 'first.3mf'), prusaProject([[BODY, LID, HOLE, ...OTHERS]]));
    run('--export-3mf', 'first.3mf', '-o', 'theirs.3mf');
    run('--export-amf', 'first.3mf', '-o', 'theirs.amf');
    const { mesh, helpers } = read('theirs.3mf', 'keep');
    writeFileSync(path.join(folder, 'ours.3mf'), Buffer.concat([...serializeModel(mesh, '3mf', helpers)]));
    run('--export-3mf', 'ours.3mf', '-o', 'again.3mf');
  };

  it('are read alike by PrusaSlicer and this package, whoever wrote them', () => {
    writeProjects();
    should(describeFile('ours.3mf')).deepEqual(describeFile('theirs.3mf'));
    for (const filename of ['theirs.3mf', 'theirs.zip.amf', 'ours.3mf', 'again.3mf']) {
      const { volumeMm3, mesh } = read(filename);
      should(volumeMm3).be.approximately(CUT_MM3, 0.01, filename);
      should(mesh.objects?.map(({ name }) => name)).deepEqual(['body', 'lid'], filename);
      const { helpers } = read(filename, 'keep');
      should(helpers?.objects.map(({ name }) => name)).deepEqual(['hole', ...OTHERS.map(({ name }) => name)], filename);
      should(helpers?.objects.map(({ role }) => role)).deepEqual(
        ['negative', 'modifier', 'supportEnforcer', 'supportBlocker'],
        filename,
      );
    }
  });

  it('are placed alike in 3MF and AMF: scaled, mirrored and rotated', () => {
    // Rotated by 30, 20 and 40 degrees about x, y and z, scaled by 2, -3 and 1.5.
    const turned =
      '1.4396926 1.2080456 -0.6840403 1.2770073 -2.3200113 -1.4095389 0.8224421 -0.2889446 1.2206965 30 40 50';
    writeFileSync(
      path.join(folder, 'turned.3mf'),
      prusaProject([[BODY]], `<item objectid="1" transform="${turned}"/>`),
    );
    // PrusaSlicer moves the object to the bed.
    for (const format of ['amf', '3mf']) run(`--export-${format}`, 'turned.3mf', '-o', `placed.${format}`);
    const [first, second] = ['placed.3mf', 'placed.zip.amf'].map((name) => analyze(read(name).mesh));
    should(second?.volumeMm3).be.approximately(first?.volumeMm3 ?? 0, 0.1);
    for (const side of ['min', 'max'] as const)
      for (const k of [0, 1, 2] as const)
        should(second?.boxMm[side][k]).be.approximately(first?.boxMm[side][k] ?? 0, 0.01);
  });
});
