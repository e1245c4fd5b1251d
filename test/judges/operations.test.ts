import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import should from 'should';
import type { IndexedMesh } from '../../src/mesh/core/mesh.js';
import { repair } from '../../src/mesh/repair/repair.js';
import { BODIES } from '../mesh/models/bodies.js';
import { judgeHollowing, judgeReduction, judgeWrap, type OperationJudgment } from './judge-operations.js';
import { createBrokenModels } from './judged-models.js';
import { createMeshJudge, type MeshJudge } from './mesh-judge.js';
import { readModels } from './model-folder.js';

const TIMEOUT_MS = 1_800_000;
/** Limits the time. */
const MAX_TRIANGLES = 16_000;
/** The bodies without room for a cavity within walls of 2 % of their diagonal. */
const THIN_BODIES = ['gear', 'cup', 'perforated plate'];
/** The bodies that are hollowed outward, beside the models of the folder. The choice limits the time. */
const OUTWARD_BODIES = ['torus', 'box with a captive ball', 'gear', 'cup', 'stairs'];

describe('CGAL judges operations on 13 bodies and on the models of a folder', function () {
  this.timeout(TIMEOUT_MS);
  let folder: string;
  let judge: MeshJudge;
  let models: Map<string, IndexedMesh>;
  let solids: Map<string, IndexedMesh>;
  before(async () => {
    folder = mkdtempSync(path.join(os.tmpdir(), 'judge-'));
    judge = createMeshJudge(folder);
    models = selectMedium(await readModels());
    solids = new Map([...Object.entries(BODIES).map(([name, make]) => [name, make()] as const), ...repairOnce(models)]);
  });
  after(() => rmSync(folder, { recursive: true }));

  for (const direction of ['inward', 'outward'] as const) {
    it(`hollows ${direction} to solids with the cavities, walls and drain holes that are reported`, () => {
      const isSelected = (name: string) => direction === 'inward' || !(name in BODIES) || OUTWARD_BODIES.includes(name);
      const selected = [...solids].filter(([name]) => isSelected(name));
      const judgments = new Map(selected.map(([name, mesh]) => [name, judgeHollowing(mesh, direction, judge)]));
      should(listBrokenPromises(judgments)).deepEqual([]);
      const bodies = Object.keys(BODIES).filter(isSelected);
      const withoutCavity = bodies.filter((name) => judgments.get(name) === undefined);
      should(withoutCavity).deepEqual(direction === 'inward' ? THIN_BODIES : []);
    });
  }

  it('reduces to solids within the accuracy at vertices, and within 1.25 times the accuracy everywhere', () => {
    const judgments = new Map([...solids].map(([name, mesh]) => [name, judgeReduction(mesh, judge)]));
    should(listBrokenPromises(judgments)).deepEqual([]);
  });

  it('wraps damaged models in solids at most three cubes away', async () => {
    const damaged = new Map([...(await createBrokenModels()), ...models]);
    const judgments = new Map([...damaged].map(([name, mesh]) => [name, judgeWrap(mesh, judge)]));
    should(listBrokenPromises(judgments)).deepEqual([]);
  });
});

function listBrokenPromises(judgments: ReadonlyMap<string, OperationJudgment | undefined>): string[] {
  return [...judgments].flatMap(([name, judgment]) =>
    (judgment?.brokenPromises ?? []).map((promise) => `${name} ${promise}`),
  );
}

/** Returns the models of 1 to 16,000 triangles. */
function selectMedium(models: Readonly<Record<string, IndexedMesh>>): Map<string, IndexedMesh> {
  return new Map(
    Object.entries(models).filter(([, { triangles }]) => triangles.length > 0 && triangles.length / 3 <= MAX_TRIANGLES),
  );
}

/** Repairs models. Returns the solids among them by name, and of those with the same shape only the first. */
function repairOnce(models: ReadonlyMap<string, IndexedMesh>): Map<string, IndexedMesh> {
  const solids = new Map<string, IndexedMesh>();
  const seen = new Set<string>(); // triangle counts and areas
  for (const [name, model] of models) {
    const { mesh, report } = repair(model);
    const shape = `${report.after.triangles} ${report.after.surfaceAreaMm2.toPrecision(6)}`;
    if (report.verdict.level !== 'solid' || seen.has(shape)) continue;
    seen.add(shape);
    solids.set(name, mesh);
  }
  return solids;
}
