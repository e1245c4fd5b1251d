import should from 'should';
import type { IndexedMesh } from '../../../src/mesh/core/mesh.js';
import { type CollapseOptions, collapseEdges } from '../../../src/mesh/reduce/collapse-edges.js';
import { HalfEdgeCollapseMesh } from '../../../src/mesh/reduce/half-edge-collapse-mesh.js';
import { measureDeviation, type Outlier } from '../../../src/mesh/reduce/measure-deviation.js';
import { type MeasuredReduction, measureReduction } from '../../../src/mesh/reduce/measure-reduction.js';
import { buildBvh } from '../../../src/mesh/spatial/bvh.js';
import { DistanceQuery } from '../../../src/mesh/spatial/distance-query.js';
import { buildEdges, findTwins } from '../../../src/mesh/topology/edges.js';
import { makeTorus } from '../models/torus.js';
import { shuffled } from '../models/transform.js';

/** Collapses edges of a mesh at the vertices that `isRemovable` accepts. */
function collapse(
  mesh: IndexedMesh,
  accuracyMm: number,
  isRemovable: (vertex: number) => boolean,
  options: CollapseOptions = {},
): MeasuredReduction {
  const surface = new HalfEdgeCollapseMesh(mesh, new DistanceQuery(mesh), { accuracyMm, maxAngle: 60 });
  const marks = Uint8Array.from({ length: mesh.positions.length / 3 }, (_, vertex) => (isRemovable(vertex) ? 1 : 0));
  const collapses = collapseEdges(surface, marks, options);
  const remaining = surface.toMesh();
  const tree = buildBvh(remaining.positions, remaining.triangles);
  const twins = findTwins(remaining.triangles, buildEdges(remaining.triangles, remaining.positions.length / 3));
  return { triangles: surface.triangles, isRemoved: surface.isRemoved, collapses, remaining, tree, twins };
}

function listPoints(outliers: readonly Outlier[]): string[] {
  return outliers.map(({ x, y, z }) => [x, y, z].map((value) => value.toFixed(9)).join()).sort();
}

describe('measureReduction', () => {
  const torus = shuffled(makeTorus(60, 30));
  const twins = findTwins(torus.triangles, buildEdges(torus.triangles, torus.positions.length / 3));
  const original = { mesh: torus, tree: buildBvh(torus.positions, torus.triangles), twins };
  const limits = { limitMm: 0.1, exactMm: 0.025 };
  const measureAll = (reduction: MeasuredReduction) =>
    measureDeviation(torus, reduction.remaining, limits.limitMm, limits.exactMm);
  const isOnLeft = (vertex: number): boolean => (torus.positions[vertex * 3] ?? 0) < 0;

  it('finds the outliers and the distance of a measurement of everything', () => {
    const reduction = collapse(torus, 0.15, isOnLeft);
    const { outliers, maxDistanceMm } = measureReduction(original, reduction, limits);
    const all = measureAll(reduction);
    should(all.outliers.length).be.within(20, 9999);
    listPoints(outliers).should.deepEqual(listPoints(all.outliers));
    should(maxDistanceMm).be.approximately(all.maxDistanceMm, 1e-12);
  });

  it('finds them in a later result, compared with an earlier one: those that stay, and those that are new', () => {
    const first = collapse(torus, 0.15, isOnLeft);
    const { outliers: firstOutliers, measured } = measureReduction(original, first, limits);
    const isKept = (vertex: number): boolean => (torus.positions[vertex * 3 + 1] ?? 0) > 2;
    const second = collapse(torus, 0.14, (vertex) => !isKept(vertex), { earlier: first.collapses });
    const found = listPoints(measureReduction(original, second, limits, measured).outliers);
    found.should.deepEqual(listPoints(measureAll(second).outliers));
    const before = new Set(listPoints(firstOutliers));
    const stayingCount = found.filter((point) => before.has(point)).length;
    should(stayingCount).be.within(1, Math.min(found.length, before.size) - 1);
  });

  it('finds all of them again in the same result', () => {
    const reduction = collapse(torus, 0.15, isOnLeft);
    const first = measureReduction(original, reduction, limits);
    const again = measureReduction(original, reduction, limits, first.measured);
    listPoints(again.outliers).should.deepEqual(listPoints(first.outliers));
  });

  it('knows whether the farthest place of an earlier result changed in the later one', () => {
    const first = collapse(torus, 0.07, isOnLeft);
    const { measured, maxDistanceMm } = measureReduction(original, first, limits);
    const seconds = [-1, 1].map((side) => {
      const isKept = (vertex: number): boolean => (torus.positions[vertex * 3 + 1] ?? 0) * side > 0;
      return collapse(torus, 0.07, (vertex) => isOnLeft(vertex) && !isKept(vertex), { earlier: first.collapses });
    });
    const results = seconds.map((second) => measureReduction(original, second, limits, measured));
    results.map(({ isMaximum }) => isMaximum).should.containDeep([true, false]);
    seconds.forEach((second, i) => {
      const all = measureAll(second).maxDistanceMm;
      if (results[i]?.isMaximum) should(all).be.approximately(maxDistanceMm, 1e-12);
      else should(all).be.within(limits.exactMm, maxDistanceMm * 0.999);
      should(results[i]?.maxDistanceMm).equal(maxDistanceMm);
    });
  });

  it('keeps the distance of an earlier result where the later one is the same', () => {
    const first = collapse(torus, 0.07, isOnLeft);
    const { maxDistanceMm, measured } = measureReduction(original, first, limits);
    should(maxDistanceMm).be.within(limits.exactMm, limits.limitMm);
    const again = measureReduction(original, first, limits, measured);
    again.outliers.should.deepEqual([]);
    should(again.maxDistanceMm).equal(maxDistanceMm);
  });
});
