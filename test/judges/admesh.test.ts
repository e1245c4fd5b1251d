import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import should from 'should';
import type { IndexedMesh } from '../../src/mesh/core/mesh.js';
import { repair } from '../../src/mesh/repair/repair.js';
import { parseOwn } from '../mesh/formats/parse-own.js';
import { makeSoundBracket } from '../mesh/models/bracket.js';
import { makeCube } from '../mesh/models/cube.js';
import { DAMAGES } from '../mesh/models/damages.js';
import { makeTorus } from '../mesh/models/torus.js';
import { serializeStl } from './judged-models.js';
import { NO_ADMESH_DEFECTS, runAdmesh } from './run-admesh.js';

describe('admesh', () => {
  let folder: string;
  before(() => {
    folder = mkdtempSync(path.join(os.tmpdir(), 'judge-'));
  });
  after(() => rmSync(folder, { recursive: true }));

  const judge = (mesh: IndexedMesh) => {
    const file = path.join(folder, 'model.stl');
    writeFileSync(file, serializeStl(mesh));
    return runAdmesh(file);
  };

  it('finds disconnected edges in the unrepaired sample', () => {
    runAdmesh('samples/bracket.stl')
      .disconnected.every((count) => count > 0)
      .should.be.true();
  });

  it('finds no defects in the repaired sample', () => {
    const { mesh } = parseOwn(readFileSync('samples/bracket.stl'), { filename: 'bracket.stl' });
    judge(repair(mesh).mesh).should.deepEqual(NO_ADMESH_DEFECTS);
  });

  it('reads a cube with integer coordinates as binary, not as text', () => {
    judge(makeCube()).should.deepEqual(NO_ADMESH_DEFECTS);
  });

  for (const [name, make] of Object.entries({ bracket: makeSoundBracket, torus: makeTorus })) {
    for (const [damage, applyDamage] of Object.entries(DAMAGES)) {
      it(`finds no defects in a repaired ${name} that had ${damage}`, () => {
        const damaged = applyDamage(make());
        should(judge(damaged)).not.deepEqual(NO_ADMESH_DEFECTS);
        judge(repair(damaged).mesh).should.deepEqual(NO_ADMESH_DEFECTS);
      });
    }
  }
});
