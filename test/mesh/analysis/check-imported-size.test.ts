import should from 'should';
import type { ModelRecord } from '../../../nodes/shared/message/model-record.js';
import { warnIfUnitsImplausible } from '../../../nodes/shared/message/unit-plausibility.js';
import type { Report } from '../../../src/api/index.js';
import { analyze } from '../../../src/mesh/analysis/analyze.js';
import { checkImportedSize, type UnitSource } from '../../../src/mesh/analysis/check-imported-size.js';
import type { IndexedMesh } from '../../../src/mesh/core/mesh.js';
import { IMPORT_FORMATS } from '../../../src/mesh/formats/registry.js';
import { makeCube } from '../models/cube.js';
import { placed, turnedOver, without } from '../models/mesh-of.js';

const UNKNOWN: UnitSource = { unit: 'mm', isStated: false, isChosen: false };
const CHOSEN: UnitSource = { unit: 'inch', isStated: false, isChosen: true };
const STATED: UnitSource = { unit: 'mm', isStated: true, isChosen: false };

/** Creates a box with a corner at the origin. */
function makeBox(x: number, y: number, z: number): IndexedMesh {
  const cube = placed(makeCube(), [0, 0, 0]);
  const min = Math.min(...cube.positions);
  const size = Math.max(...cube.positions) - min;
  return { ...cube, positions: cube.positions.map((value, i) => ((value - min) / size) * ([x, y, z][i % 3] ?? 1)) };
}

const check = (mesh: IndexedMesh, source: UnitSource) => checkImportedSize(analyze(mesh), source);
const reasonsOf = (mesh: IndexedMesh) => check(mesh, UNKNOWN).reasons;

describe('checkImportedSize', () => {
  const analysisOf = (sizeMm: number) => ({
    ...analyze(makeCube()),
    dimensionXMm: sizeMm,
    dimensionYMm: 0.5,
    dimensionZMm: 0,
    volumeMm3: 1000,
  });

  /** Returns the warning that the nodes add for an import of this file, in inch, of this size. */
  function findWarningsOfNodes(sizeMm: number, filename: string) {
    const record: ModelRecord = { operations: [], warnings: [] };
    const entry = { operation: 'import', operationId: 'i', parameters: { measurementUnits: 'inch' } };
    const report = {
      after: analysisOf(sizeMm),
      warnings: [],
      verdict: { level: 'solid', needsRepair: false, reasons: [] },
    };
    // Only the part of the report that is read.
    const result = { operationId: 'i', resultId: 'm', report: report as unknown as Report };
    warnIfUnitsImplausible(record, entry, result, filename);
    return record.warnings;
  }

  for (const size of [0.156, 0.999_999, 1, 57, 2000, 2000.01, 123_456]) {
    it(`returns the warning of the nodes for a size of ${size} mm`, () => {
      checkImportedSize(analysisOf(size), CHOSEN).warnings.should.deepEqual(findWarningsOfNodes(size, 'part.stl'));
      checkImportedSize(analysisOf(size), STATED).warnings.should.deepEqual(findWarningsOfNodes(size, 'part.3mf'));
    });
  }

  it('returns the warning of the nodes for each format but ZIP, whose content they do not know', () => {
    for (const { extensions, hasUnits } of IMPORT_FORMATS.filter(({ id }) => id !== 'zip')) {
      const filename = `part.${extensions[0]}`;
      checkImportedSize(analysisOf(5000), { ...CHOSEN, isStated: hasUnits }).warnings.should.deepEqual(
        findWarningsOfNodes(5000, filename),
        filename,
      );
    }
  });

  it('gives an implausible size as a reason only if nobody said the unit', () => {
    reasonsOf(makeBox(0.05, 0.06, 0.07)).should.deepEqual([
      'implausible size: largest dimension 0.07 mm, and the file states no unit',
    ]);
    reasonsOf(makeBox(10, 20, 25_412)).should.deepEqual([
      'implausible size: largest dimension 25400 mm, and the file states no unit',
    ]);
    for (const source of [CHOSEN, STATED]) {
      const notes = check(makeBox(0.05, 0.06, 0.07), source);
      notes.reasons.should.be.empty();
      notes.warnings.should.have.length(1);
    }
  });

  it('suggests inches below 9 mm³, and meters below 0.001 mm³', () => {
    const messageOf = (mesh: IndexedMesh) => check(mesh, UNKNOWN).warnings[0]?.message;
    should(messageOf(makeBox(3, 2, 1))).equal(
      'The volume of the model is 6 mm³. Check whether the file is really in mm, or in inch; nothing was rescaled.',
    );
    should(messageOf(makeBox(1.5, 0.02, 0.03))).match(/volume of the model is 0\.0009 mm³\. .* or in m; nothing/);
    reasonsOf(makeBox(3, 2, 1)).should.deepEqual(['implausible size: volume 6 mm³, and the file states no unit']);
  });

  it('accepts 9 mm³ and more, and small volumes in a unit that the file states or a person chose', () => {
    for (const box of [makeBox(3, 3, 1), makeBox(1, 1, 9.5), makeBox(2000, 1, 1)])
      check(box, UNKNOWN).should.deepEqual({ warnings: [], reasons: [] });
    for (const source of [CHOSEN, STATED])
      check(makeBox(3, 2, 1), source).should.deepEqual({ warnings: [], reasons: [] });
  });

  it('judges models that are open or inside out by their size too, and sheets by their largest dimension only', () => {
    for (const mesh of [without(makeBox(3, 2, 1), 4), turnedOver(makeBox(3, 2, 1)), turnedOver(makeBox(3, 2, 1), 2)])
      reasonsOf(mesh).should.deepEqual(['implausible size: volume 6 mm³, and the file states no unit']);
    reasonsOf(without(makeBox(100, 100, 0.01), 0)).should.be.empty();
    reasonsOf(without(makeBox(30, 20, 10), 0)).should.be.empty();
  });

  it('finds nothing in a model without a size', () => {
    reasonsOf({ positions: new Float64Array(), triangles: new Uint32Array() }).should.be.empty();
  });
});
