import 'should';
import { runSteps, skipSteps, startRepair } from '../../../src/mesh/repair/run-steps.js';
import { changed, createContext, type RepairStep, unchanged } from '../../../src/mesh/repair/step.js';
import { createMeshState, type MeshIndex } from '../../../src/mesh/spatial/mesh-index.js';
import { toTaggedMesh } from '../../../src/mesh/topology/tagged-mesh.js';
import { makeCube } from '../models/cube.js';

/** Creates a step that keeps the mesh, and records the index that it receives. */
function createKeepingStep(indices: MeshIndex[]): RepairStep {
  return {
    name: 'keep',
    run(mesh, { index }) {
      indices.push(index);
      return unchanged(mesh);
    },
  };
}

const COPY: RepairStep = {
  name: 'copy',
  run: (mesh) => changed({ mesh: { ...mesh } }, { count: 2, filledAreaMm2: 3, maxDisplacementMm: 4 }),
};

describe('runSteps', () => {
  const start = startRepair(createMeshState(toTaggedMesh(makeCube())));

  it('hands the index of an unchanged mesh on, and a new one for a changed mesh', () => {
    const indices: MeshIndex[] = [];
    const keep = createKeepingStep(indices);
    const { isChanged, index } = runSteps([keep, keep, COPY, keep], start, createContext(1));
    isChanged.should.be.true();
    indices.map((each) => each === start.index).should.deepEqual([true, true, false]);
    index.should.equal(indices[2]);
  });

  it('sums up the notes of the steps and leaves the state before them unchanged', () => {
    const { summary } = runSteps([COPY, COPY], start, createContext(1));
    summary.should.match({ filledAreaMm2: 6, maxDisplacementMm: 4, warnings: [], innerShells: [] });
    summary.steps.should.deepEqual([
      { name: 'copy', changed: 2 },
      { name: 'copy', changed: 2 },
    ]);
    start.summary.steps.should.deepEqual([]);
  });

  it('reports the progress after each step', () => {
    const progress: number[] = [];
    const context = { ...createContext(1), onProgress: (value: number) => progress.push(value) };
    runSteps([COPY, COPY], start, context);
    progress.should.deepEqual([0.5, 1]);
  });

  it('records steps that are skipped', () => {
    const skipped = skipSteps([COPY], start);
    skipped.isChanged.should.be.false();
    skipped.summary.steps.should.deepEqual([{ name: 'copy', changed: 0 }]);
  });
});
