import type { IndexedMesh } from '../../mesh/core/mesh.js';
import { findIntersectionsWithRunner } from '../../mesh/intersections/find-with-runner.js';
import { createMeshIndex } from '../../mesh/spatial/mesh-index.js';
import { gatherPositions, weldPoints } from '../../mesh/welding/weld.js';
import { createThreadRunner } from './thread-runner.js';
import { createBall } from './warm-up-model.js';

const ROWS = 40;
const COLUMNS = 50;
const ROUNDS = 12;

function createMesh(): IndexedMesh {
  const corners = Float64Array.from(createBall(ROWS, COLUMNS).flat(2));
  const { vertexOf, firstPoint } = weldPoints(corners);
  return { positions: gatherPositions(corners, firstPoint), triangles: vertexOf };
}

/** Runs the tasks of the kernel on a small mesh repeatedly, so that the JIT compiles them. Yields after each round. */
export function* warmUpTasks(): Generator<void> {
  const mesh = createMesh();
  const runner = createThreadRunner([], 0);
  for (let round = 0; round < ROUNDS; round++) {
    findIntersectionsWithRunner(createMeshIndex(mesh), runner);
    yield;
  }
}
