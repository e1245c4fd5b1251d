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
import { stlOf } from './judged-models.js';
import { ADMESH_SATISFIED, runAdmesh } from './run-admesh.js';

describe('admesh', () => {
  let folder: string;
  before(() => {
    folder = mkdtempSync(path.join(os.tmpdir(), 'judge-'));
  });
  after(() => rmSync(folder, { recursive: true }));

  const judge = (mesh: IndexedMesh) => {
    const file = path.join(folder, 'model.stl');
    writeFileSync(file, stlOf(mesh));
    return runAdmesh(file);
  };

  it('has plenty to do in the sample as it comes', () => {
    runAdmesh('examples/models/bracket.stl')
      .disconnected.every((count) => count > 0)
      .should.be.true();
  });

  it('finds nothing to do in the repaired sample', () => {
    const { mesh } = parseOwn(readFileSync('examples/models/bracket.stl'), { filename: 'bracket.stl' });
    judge(repair(mesh).mesh).should.deepEqual(ADMESH_SATISFIED);
  });

  it('reads a cube, whose every coordinate is round, and does not take it for text', () => {
    judge(makeCube()).should.deepEqual(ADMESH_SATISFIED);
  });

  for (const [name, make] of Object.entries({ bracket: makeSoundBracket, torus: makeTorus })) {
    for (const [damage, spoil] of Object.entries(DAMAGES)) {
      it(`finds nothing to do in a repaired ${name} that had ${damage}`, () => {
        const spoilt = spoil(make());
        should(judge(spoilt)).not.deepEqual(ADMESH_SATISFIED);
        judge(repair(spoilt).mesh).should.deepEqual(ADMESH_SATISFIED);
      });
    }
  }
});
