import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import should from 'should';
import { buildJudge, runJudge } from '../../bench/judge/judge.js';
import type { IndexedMesh } from '../../src/mesh/core/mesh.js';
import { serializeModel } from '../../src/mesh/formats/serialize-model.js';
import { brokenModels, repairedModels, stlOf } from './judged-models.js';

/** The compiler takes most of a minute, once. */
const COMPILE_MS = 300_000;

describe('a judge on CGAL', () => {
  let folder: string;
  let judge: string;
  let repaired: Map<string, IndexedMesh>;
  before(async function () {
    this.timeout(COMPILE_MS);
    folder = mkdtempSync(path.join(os.tmpdir(), 'judge-'));
    judge = buildJudge(path.join(os.tmpdir(), 'model-processing-judge'));
    repaired = await repairedModels();
  });
  after(() => rmSync(folder, { recursive: true }));

  /** The names of those that it finds no solid, written by `write` into a file of this name. */
  const notSolid = (
    models: ReadonlyMap<string, IndexedMesh>,
    name: string,
    write: (mesh: IndexedMesh) => Uint8Array,
  ): string[] => {
    const file = path.join(folder, name);
    return [...models.keys()].filter((model) => {
      const mesh = models.get(model);
      if (mesh) writeFileSync(file, write(mesh));
      return !runJudge(judge, file).isSolid;
    });
  };

  const offOf = (mesh: IndexedMesh): Uint8Array => Buffer.concat([...serializeModel(mesh, 'off')]);

  it('finds no solid among the models as they come', async () => {
    const models = await brokenModels();
    should(notSolid(models, 'model.off', offOf)).deepEqual([...models.keys()]);
  });

  it('finds a solid in every repaired model', () => {
    should(notSolid(repaired, 'model.off', offOf)).deepEqual([]);
  });

  it('finds a solid in every STL that we write of one', () => {
    should(notSolid(repaired, 'model.stl', stlOf)).deepEqual([]);
  });
});
