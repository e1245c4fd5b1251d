import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import should from 'should';
import { buildJudge, runJudge } from '../../bench/judge/judge.js';
import type { IndexedMesh } from '../../src/mesh/core/mesh.js';
import { serializeModel } from '../../src/mesh/formats/serialize-model.js';
import { createBrokenModels, createRepairedModels, serializeStl } from './judged-models.js';

/** Compiling takes most of a minute, once. */
const COMPILE_MS = 300_000;

describe('the CGAL judge', () => {
  let folder: string;
  let judge: string;
  let repaired: Map<string, IndexedMesh>;
  before(async function () {
    this.timeout(COMPILE_MS);
    folder = mkdtempSync(path.join(os.tmpdir(), 'judge-'));
    judge = buildJudge(path.join(os.tmpdir(), 'model-processing-judge'));
    repaired = await createRepairedModels();
  });
  after(() => rmSync(folder, { recursive: true }));

  /** Returns the names of the models that are not solid, written by `write` to a file of this name. */
  const findNonSolids = (
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

  const serializeOff = (mesh: IndexedMesh): Uint8Array => Buffer.concat([...serializeModel(mesh, 'off')]);

  it('finds no solid among the unrepaired models', async () => {
    const models = await createBrokenModels();
    should(findNonSolids(models, 'model.off', serializeOff)).deepEqual([...models.keys()]);
  });

  it('finds every repaired model solid', () => {
    should(findNonSolids(repaired, 'model.off', serializeOff)).deepEqual([]);
  });

  it('finds every exported STL of a repaired model solid', () => {
    should(findNonSolids(repaired, 'model.stl', serializeStl)).deepEqual([]);
  });
});
