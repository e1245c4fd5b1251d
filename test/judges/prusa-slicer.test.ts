import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import should from 'should';
import type { IndexedMesh } from '../../src/mesh/core/mesh.js';
import { createBrokenModels, createRepairedModels, serializeStl } from './judged-models.js';

const TIMEOUT_MS = 300_000;

describe('PrusaSlicer', () => {
  let folder: string;
  before(() => {
    folder = mkdtempSync(path.join(os.tmpdir(), 'judge-'));
  });
  after(() => rmSync(folder, { recursive: true }));

  /** Returns the names of the models whose exported STL is not manifold for PrusaSlicer. */
  const findNonManifolds = (models: ReadonlyMap<string, IndexedMesh>): string[] => {
    const names = [...models.keys()];
    const files = names.map((name, index) => {
      const file = path.join(folder, `${index}.stl`);
      writeFileSync(
        file,
        serializeStl(models.get(name) ?? { positions: new Float64Array(), triangles: new Uint32Array() }),
      );
      return file;
    });
    const output = execFileSync('prusa-slicer', ['--info', ...files], { encoding: 'latin1', timeout: TIMEOUT_MS });
    return names.filter((_, index) => !output.includes(`[${index}.stl]`) || !isManifold(output, index));
  };

  it('finds models with holes non-manifold', async () => {
    const damaged = [...(await createBrokenModels())].filter(([name]) => /missing|the sample/.test(name));
    should(findNonManifolds(new Map(damaged))).deepEqual(damaged.map(([name]) => name));
  });

  it('finds every exported STL of a repaired model manifold', async () => {
    should(findNonManifolds(await createRepairedModels())).deepEqual([]);
  });
});

/** Returns whether the output reports file `index` as manifold. */
function isManifold(output: string, index: number): boolean {
  const [, section = ''] = output.split(`[${index}.stl]`);
  return /^[^[]*manifold = yes/.test(section);
}
