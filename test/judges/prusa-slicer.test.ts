import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import should from 'should';
import type { IndexedMesh } from '../../src/mesh/core/mesh.js';
import { brokenModels, repairedModels, stlOf } from './judged-models.js';

const TIMEOUT_MS = 60_000;

describe('PrusaSlicer', () => {
  let folder: string;
  before(() => {
    folder = mkdtempSync(path.join(os.tmpdir(), 'judge-'));
  });
  after(() => rmSync(folder, { recursive: true }));

  /** The names of those that it does not find manifold, of STL files as we write them. */
  const notManifold = (models: ReadonlyMap<string, IndexedMesh>): string[] => {
    const names = [...models.keys()];
    const files = names.map((name, number) => {
      const file = path.join(folder, `${number}.stl`);
      writeFileSync(file, stlOf(models.get(name) ?? { positions: new Float64Array(), triangles: new Uint32Array() }));
      return file;
    });
    const output = execFileSync('prusa-slicer', ['--info', ...files], { encoding: 'latin1', timeout: TIMEOUT_MS });
    return names.filter((_, number) => !output.includes(`[${number}.stl]`) || !isManifold(output, number));
  };

  it('finds models with holes not manifold', async () => {
    const damaged = [...(await brokenModels())].filter(([name]) => /missing|the sample/.test(name));
    should(notManifold(new Map(damaged))).deepEqual(damaged.map(([name]) => name));
  });

  it('finds every STL manifold that we write of a repaired model', async () => {
    should(notManifold(await repairedModels())).deepEqual([]);
  });
});

/** What it says of file `number`, behind its name and before the next. */
function isManifold(output: string, number: number): boolean {
  const [, section = ''] = output.split(`[${number}.stl]`);
  return /^[^[]*manifold = yes/.test(section);
}
