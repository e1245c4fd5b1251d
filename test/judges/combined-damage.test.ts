import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import should from 'should';
import { buildJudge, runJudge } from '../../bench/judge/judge.js';
import type { SolidityLevel } from '../../src/mesh/analysis/report.js';
import type { IndexedMesh } from '../../src/mesh/core/mesh.js';
import { fitToFormat } from '../../src/mesh/formats/fit-to-format.js';
import { serializeModel } from '../../src/mesh/formats/serialize-model.js';
import { repair } from '../../src/mesh/repair/repair.js';
import { BODIES } from '../mesh/models/bodies.js';
import { listPairs } from '../mesh/models/combined-cases.js';
import { compareWithTruth } from '../mesh/models/compare-with-truth.js';
import { readSolids } from './model-folder.js';
import { NO_ADMESH_DEFECTS, runAdmesh } from './run-admesh.js';

/** Each solid gets every n-th pair, starting with another one: together, the 13 bodies get all 78. */
const EACH = 13;
const TIMEOUT_MS = 600_000;

/** A repaired model, and its float32 form as exported to STL. */
interface Judged {
  name: string;
  mesh: IndexedMesh;
  level: SolidityLevel;
  /** How it differs from the solid before the damage, if it does. */
  difference: string | undefined;
  exported: IndexedMesh;
  exportedLevel: SolidityLevel;
}

describe('pairs of damage to 13 bodies and to the models of a folder', function () {
  this.timeout(TIMEOUT_MS);
  let folder: string;
  let judge: string;
  let models: Judged[];
  before(async () => {
    folder = mkdtempSync(path.join(os.tmpdir(), 'judge-'));
    judge = buildJudge(path.join(os.tmpdir(), 'model-processing-judge'));
    const solids = Object.entries(await readSolids());
    models = [
      ...Object.entries(BODIES).flatMap(([name, create], index) => repairPairs(name, create, index)),
      ...solids.flatMap(([name, mesh]) => repairPairs(name, () => mesh, sumCodes(name))),
    ];
  });
  after(() => rmSync(folder, { recursive: true }));

  const write = (mesh: IndexedMesh, format: 'off' | 'stl', index = 0): string => {
    const file = path.join(folder, `${index}.${format}`);
    writeFileSync(file, Buffer.concat([...serializeModel(mesh, format)]));
    return file;
  };
  const listExportedSolids = () => models.filter(({ exportedLevel }) => exportedLevel === 'solid');

  it('makes each a solid again', () => {
    const others = models.filter(({ level }) => level !== 'solid');
    should(others.map(({ name, level }) => `${name}: ${level}`)).deepEqual([]);
  });

  it('restores the shape of each, unless a large part of its surface is missing', () => {
    const different = models.filter(
      ({ name, difference }) => difference !== undefined && !name.includes('a large hole'),
    );
    should(different.map(({ name, difference }) => `${name}: ${difference}`)).deepEqual([]);
  });

  it('reports no level that CGAL does not confirm', () => {
    const overstated = models.filter(({ mesh, level }) => {
      const { isSolid, isClosed } = runJudge(judge, write(mesh, 'off'));
      return (level === 'solid' && !isSolid) || (level !== 'open' && !isClosed);
    });
    should(overstated.map(({ name }) => name)).deepEqual([]);
  });

  it('exports as STL what CGAL and admesh find without defects', () => {
    const defective = listExportedSolids().filter(({ exported }) => {
      const file = write(exported, 'stl');
      return !runJudge(judge, file).isSolid || !hasNoAdmeshDefects(file);
    });
    should(defective.map(({ name }) => name)).deepEqual([]);
  });

  it('exports as STL what PrusaSlicer finds manifold', () => {
    const files = listExportedSolids().map(({ exported }, index) => write(exported, 'stl', index));
    const output = execFileSync('prusa-slicer', ['--info', ...files], { encoding: 'latin1', timeout: TIMEOUT_MS });
    output.split('manifold = yes').length.should.equal(files.length + 1);
  });
});

/** Returns whether admesh finds no defects in a file. */
function hasNoAdmeshDefects(file: string): boolean {
  try {
    should(runAdmesh(file)).deepEqual(NO_ADMESH_DEFECTS);
    return true;
  } catch {
    return false;
  }
}

/** Returns a number that depends on a name only, so that a further model of the folder changes no case of another one. */
function sumCodes(name: string): number {
  return Buffer.from(name).reduce((sum, code) => sum + code, 0);
}

function repairPairs(body: string, create: () => IndexedMesh, first: number): Judged[] {
  const cases = listPairs({ [body]: create }).filter((_, i) => i % EACH === first % EACH);
  return cases.map(({ name, toleranceFraction, createDamaged, createTruth }) => {
    const { mesh, report } = repair(createDamaged());
    const difference = compareWithTruth(mesh, createTruth(), toleranceFraction);
    const { level } = report.verdict;
    const exported = fitToFormat(mesh, 'stl');
    const exportedLevel = exported.report?.verdict.level ?? level;
    return { name, mesh, level, difference, exported: exported.mesh, exportedLevel };
  });
}
