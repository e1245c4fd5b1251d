import should from 'should';
import { analyzeModel } from '../../../src/mesh/analysis/analyze-parts.js';
import { repairParts } from '../../../src/mesh/repair/repair-parts.js';
import { makeBox } from '../models/compositions.js';
import { joined, turnedOver, without } from '../models/mesh-of.js';
import { joinObjects } from '../models/objects.js';

const box = (...min: number[]) => makeBox(min, [1, 1, 1]);
const sumOf = (entries: readonly object[], name: string) =>
  entries.reduce((total, entry) => total + Number(new Map<string, unknown>(Object.entries(entry)).get(name) ?? 0), 0);

describe('repairParts', () => {
  it('returns a model whose parts are solids unchanged', () => {
    const mesh = joinObjects(box(0, 0, 0), box(1, 0, 0), box(1.5, 0.5, 0.5));
    const result = repairParts(mesh, { precomputed: analyzeModel(mesh) });
    result.mesh.should.equal(mesh);
    result.report.verdict.should.deepEqual({ level: 'solid', needsRepair: false, reasons: [] });
    should(result.report.after.volumeMm3).be.approximately(3, 1e-9);
  });

  it('repairs each part by itself, and keeps its name', () => {
    const mesh = joinObjects(without(box(0, 0, 0), 3), box(1, 0, 0), turnedOver(box(2, 0, 0)), box(2.5, 0.5, 0.5));
    const { mesh: repaired, report, isSuccessful } = repairParts(mesh);
    isSuccessful.should.be.true();
    report.verdict.should.deepEqual({ level: 'solid', needsRepair: false, reasons: [] });
    report.after.volumeMm3.should.be.approximately(4, 1e-9);
    should(report.after.parts).match({ count: 4 });
    should(report.after.parts?.overlapMm3).be.approximately(0.125, 1e-3);
    should(repaired.objects?.map(({ name, triangleCount }) => [name, triangleCount])).deepEqual([
      ['part 0', 12],
      ['part 1', 12],
      ['part 2', 12],
      ['part 3', 12],
    ]);
  });

  it('adds the steps of the parts up to the difference', () => {
    const doubled = joined(box(1, 0, 0), box(1.5, 0, 0));
    const mesh = joinObjects(without(box(0, 0, 0), 3), doubled, turnedOver(box(2.5, 0, 0)));
    const { before, after, steps, volumeChangeMm3 } = repairParts(mesh).report;
    should(sumOf(steps, 'addedTriangles') - sumOf(steps, 'removedTriangles')).equal(after.triangles - before.triangles);
    should(sumOf(steps, 'addedShells') - sumOf(steps, 'removedShells')).equal(after.shells - before.shells);
    sumOf(steps, 'volumeChangeMm3').should.be.approximately(volumeChangeMm3, 1e-9);
    after.volumeMm3.should.be.approximately(1 + 1.5 + 1, 1e-4);
    new Set(steps.map(({ name }) => name)).size.should.equal(steps.length);
  });

  it('unites the shells of one part, and keeps walls between parts', () => {
    const stack = joined(box(0, 0, 0), box(1, 0, 0), box(2, 0, 0));
    const { mesh, report } = repairParts(joinObjects(stack, box(3, 0, 0), box(4, 0, 0)));
    report.after.volumeMm3.should.be.approximately(5, 1e-9);
    report.after.shells.should.equal(3);
    should(mesh.objects?.map(({ name }) => name)).deepEqual(['part 0', 'part 1', 'part 2']);
  });

  it('takes materials of one body as one part, also if their open edges match only nearly', () => {
    const { objects: _, ...cube } = joinObjects(box(0, 0, 0));
    const half = (triangles: Uint32Array, shiftMm: number) => ({
      positions: cube.positions.map((value) => value + shiftMm),
      triangles,
    });
    for (const shiftMm of [0, 1e-6]) {
      const halves = [half(cube.triangles.slice(0, 12), 0), half(cube.triangles.slice(12), shiftMm)];
      const { report } = repairParts(joinObjects(...halves, box(1, 0, 0)));
      report.verdict.should.deepEqual({ level: 'solid', needsRepair: false, reasons: [] }, String(shiftMm));
      report.after.volumeMm3.should.be.approximately(2, 1e-4);
    }
  });

  it('keeps a void that is an object of its own', () => {
    const cavity = turnedOver(makeBox([1, 1, 1], [1, 1, 1]));
    const mesh = joinObjects(makeBox([0, 0, 0], [3, 3, 3]), cavity, without(makeBox([3, 0, 0], [1, 3, 3]), 2));
    const { report, mesh: repaired } = repairParts(mesh);
    report.verdict.level.should.equal('solid');
    report.after.volumeMm3.should.be.approximately(27 - 1 + 9, 1e-9);
    should(repaired.objects?.length).equal(3);
  });

  it('drops parts without volume with a word', () => {
    const sheet = { positions: Float64Array.of(5, 0, 0, 6, 0, 0, 5, 1, 0), triangles: Uint32Array.of(0, 1, 2) };
    const { mesh, report } = repairParts(joinObjects(box(0, 0, 0), sheet, box(1, 0, 0)));
    report.verdict.should.deepEqual({
      ...{ level: 'solid', needsRepair: true, reasons: ['parts without volume were dropped'] },
    });
    report.warnings.should.deepEqual([
      { code: 'PARTS_DROPPED', message: '1 part encloses no volume and was dropped: part 1.' },
    ]);
    should(mesh.objects?.map(({ name }) => name)).deepEqual(['part 0', 'part 2']);
    sumOf(report.steps, 'removedTriangles').should.equal(1);
    sumOf(report.steps, 'removedObjects').should.equal(1);
  });

  it('fails if no part encloses a volume, and names one', () => {
    const sheet = (z: number) => ({
      ...{ positions: Float64Array.of(5, 0, z, 6, 0, z, 5, 1, z), triangles: Uint32Array.of(0, 1, 2) },
    });
    const mesh = joinObjects(sheet(0), sheet(2));
    const result = repairParts(mesh);
    result.isSuccessful.should.be.false();
    should(result.reason).equal('the surface encloses no volume (it is an open sheet) (part “part 0”)');
    result.mesh.should.equal(mesh);
  });

  it('names the part in each warning', () => {
    const nested = joined(makeBox([0, 0, 0], [3, 3, 3]), makeBox([1, 1, 1], [1, 1, 1]));
    const { report } = repairParts(joinObjects(box(3, 0, 0), nested), { innerShells: 'void' });
    report.warnings
      .map(({ message }) => message)
      .should.deepEqual(['Part “part 1”: The volume changed from 28.0000 to 26.0000 mm³.']);
    report.after.volumeMm3.should.be.approximately(27, 1e-9);
  });
});
