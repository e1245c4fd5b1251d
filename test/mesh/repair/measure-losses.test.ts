import 'should';
import type { IndexedMesh } from '../../../src/mesh/core/mesh.js';
import { type BodyLoss, measureLosses } from '../../../src/mesh/repair/measure-losses.js';
import { createMeshIndex } from '../../../src/mesh/spatial/mesh-index.js';
import { toTaggedMesh } from '../../../src/mesh/topology/tagged-mesh.js';
import { weldPoints } from '../../../src/mesh/welding/weld.js';
import { makeBall } from '../models/bodies.js';
import { makeBox } from '../models/compositions.js';
import { joined, placed, turnedOver, without } from '../models/mesh-of.js';
import { rotated } from '../models/transform.js';

const box = makeBox([0, 0, 0], [10, 10, 10]);
const cavity = turnedOver(makeBox([3, 3, 3], [3, 3, 3])); // 2.7 % of the box

function measure(
  source: IndexedMesh,
  result: IndexedMesh,
  isVoid: (box: Float64Array) => boolean = () => false,
): BodyLoss[] {
  const state = { mesh: toTaggedMesh(source), index: createMeshIndex(source) };
  return measureLosses(state, { result: createMeshIndex(result), maxDisplacementMm: 1e-5, isVoid });
}

/** Merges equal vertices: the boxes share edges then. */
function welded(mesh: IndexedMesh): IndexedMesh {
  const { vertexOf } = weldPoints(mesh.positions);
  const firstOf = new Map<number, number>();
  vertexOf.forEach((vertex, point) => {
    if (!firstOf.has(vertex)) firstOf.set(vertex, point);
  });
  return { ...mesh, triangles: mesh.triangles.map((point) => firstOf.get(vertexOf[point] ?? 0) ?? point) };
}

describe('measureLosses', () => {
  it('finds nothing in a mesh that did not change', () => {
    for (const mesh of [box, joined(box, cavity), rotated(joined(box, cavity)), makeBall(12, 5)])
      measure(mesh, mesh).should.deepEqual([]);
  });

  it('finds a body that is missing, and one that is inside out in the file', () => {
    const other = placed(box, [20, 0, 0]);
    for (const source of [joined(box, other), joined(box, turnedOver(other))]) {
      const losses = measure(source, box);
      losses.length.should.equal(1);
      losses[0]?.volumeMm3.should.be.approximately(1000, 1e-9);
      losses[0]?.lostFraction.should.be.approximately(1, 1e-6);
      losses[0]?.triangle.should.equal(12);
    }
  });

  it('estimates the part of a body that is missing', () => {
    for (const turn of [(mesh: IndexedMesh) => mesh, rotated]) {
      const [loss] = measure(turn(box), turn(joined(box, cavity)));
      loss?.lostFraction.should.be.approximately(0.027, 0.01);
    }
  });

  it('does not find a tenth of a percent, or what the surface moved', () => {
    measure(box, joined(box, turnedOver(makeBox([3, 3, 3], [1, 1, 1])))).should.deepEqual([]);
    measure(makeBox([0, 0, 0], [10, 10, 0.001]), makeBox([0, 0, 0], [10, 10, 0.00099])).should.deepEqual([]);
  });

  it('does not find what two bodies have in common, a cavity, or a shell that became a void', () => {
    const crossing = placed(box, [5, 5, 5]);
    measure(joined(box, makeBox([2, 2, 2], [3, 3, 3])), box).should.deepEqual([]);
    measure(joined(box, crossing), joined(box, crossing)).should.deepEqual([]);
    measure(joined(box, cavity), joined(box, cavity)).should.deepEqual([]);
    const isVoid = ([minX = 0]: Float64Array) => minX === 3;
    measure(joined(box, turnedOver(cavity)), joined(box, cavity), isVoid).should.deepEqual([]);
    measure(joined(box, turnedOver(cavity)), joined(box, cavity)).length.should.equal(2);
  });

  it('finds the missing object of several that share edges', () => {
    const boxes = Array.from({ length: 27 }, (_, i) =>
      makeBox([i % 3, Math.floor(i / 3) % 3, Math.floor(i / 9)], [1, 1, 1]),
    );
    const objects = boxes.map((_, i) => ({ name: `box ${i}`, firstTriangle: i * 12, triangleCount: 12 }));
    const source = { ...welded(joined(...boxes)), objects };
    const losses = measure(source, joined(...boxes.slice(0, 13), ...boxes.slice(14)));
    losses.map(({ triangle }) => triangle / 12).should.deepEqual([13]);
  });

  it('does not judge a body that is drawn from both sides', () => {
    const ball = rotated(makeBall(12, 5));
    const opposite = turnedOver(ball);
    // The same triangles, beginning with another corner: they are crossed at a distance that is rounded differently.
    opposite.triangles = opposite.triangles.map((_, i, all) => all[i % 3 === 2 ? i - 2 : i + 1] ?? 0);
    measure(joined(ball, opposite), ball).should.deepEqual([]);
  });

  it('does not judge what is in the closed bodies on a row through an open one', () => {
    const open = without(placed(cavity, [0, 0, 0]), 0);
    measure(joined(box, open), joined(box, cavity)).should.deepEqual([]);
  });

  /** Moves the faces of the box apart, which are pairs of triangles. */
  const exploded: IndexedMesh = (() => {
    const positions: number[] = [];
    for (let triangle = 0; triangle < 12; triangle++) {
      const corners = [0, 1, 2].map((k) => (box.triangles[triangle * 3 + k] ?? 0) * 3);
      const points = corners.map((offset) => [...box.positions.subarray(offset, offset + 3)]);
      const axis = [0, 1, 2].find((k) => points.every((point) => point[k] === points[0]?.[k])) ?? 0;
      const shiftMm = (points[0]?.[axis] ?? 0) === 0 ? -0.01 : 0.01;
      positions.push(...points.flatMap((point) => point.map((value, k) => (k === axis ? value + shiftMm : value))));
    }
    return { positions: new Float64Array(positions), triangles: Uint32Array.from(positions.keys()).subarray(0, 36) };
  })();
  const tiny = makeBox([4, 4, 4], [1, 1, 1]);

  it('measures the open bodies of an object as one: a hole, faces that are apart, boxes that touch', () => {
    const pair = welded(joined(box, makeBox([10, 0, 0], [10, 10, 10])));
    for (const source of [without(box, 0), exploded, turnedOver(exploded), without(pair, 0), without(pair, 23)]) {
      const losses = measure(source, tiny);
      losses.length.should.equal(1);
      losses[0]?.lostFraction.should.be.above(0.9);
      losses[0]?.volumeMm3.should.be.within(800, 2300);
      measure(source, joined(box, makeBox([10, 0, 0], [10, 10, 10]))).should.deepEqual([]);
    }
  });

  it('does not measure sheets, and surfaces whose triangles face both ways', () => {
    const mixed = without(turnedOver(box, 0, 3, 5, 6, 8, 10), 1);
    measure(mixed, tiny).should.deepEqual([]);
    const sheet = without(box, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11);
    measure(joined(sheet, placed(sheet, [0, 0, 5])), tiny).should.deepEqual([]);
  });
});
