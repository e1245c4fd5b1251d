import should from 'should';
import { analyzeWithPlaces } from '../../../src/mesh/analysis/analyze.js';
import { analyzeModel, selectWholeAnalysis } from '../../../src/mesh/analysis/analyze-parts.js';
import { verdictOf } from '../../../src/mesh/analysis/verdict.js';
import type { IndexedMesh } from '../../../src/mesh/core/mesh.js';
import { makeCube } from '../models/cube.js';
import { placed, turnedOver, without } from '../models/mesh-of.js';
import { joinObjects } from '../models/objects.js';

const levelOf = (mesh: IndexedMesh) => verdictOf(analyzeModel(mesh).analysis).level;
const factsOf = (mesh: IndexedMesh) => analyzeModel(mesh).analysis.parts;

describe('analyzeModel', () => {
  it('calls parts solid that touch at a face, an edge or a vertex', () => {
    for (const offset of [
      [2, 0, 0],
      [2, 2, 0],
      [2, 2, 2],
      [2, 0.7, 0.3],
    ]) {
      const mesh = joinObjects(makeCube(), placed(makeCube(), offset));
      verdictOf(analyzeWithPlaces(mesh).analysis).level.should.not.equal('solid', String(offset));
      verdictOf(analyzeModel(mesh).analysis).should.deepEqual({ level: 'solid', needsRepair: false, reasons: [] });
      should(factsOf(mesh)).match({ count: 2 }, String(offset));
    }
  });

  it('measures the volume that parts share', () => {
    const { analysis } = analyzeModel(joinObjects(makeCube(), placed(makeCube(), [1, 0.5, 0.25])));
    should(analysis.parts?.overlapMm3).be.approximately(1 * 1.5 * 1.75, 1e-3);
    analysis.volumeMm3.should.be.approximately(16, 1e-9);
    should(factsOf(joinObjects(makeCube(), placed(makeCube(), [2, 0, 0])))?.overlapMm3).equal(0);
  });

  it('adds the counts of the parts, each by itself', () => {
    const row = [0, 2, 4].map((x) => placed(makeCube(), [x, 0, 0]));
    const { analysis } = analyzeModel(joinObjects(...row));
    analysis.should.match({ triangles: 36, shells: 3, badEdges: 0, volumeMm3: 24, parts: { count: 3 } });
    analysis.dimensionXMm.should.equal(6);
  });

  it('names the defects within a part, and not its contact with others', () => {
    const mesh = joinObjects(without(makeCube(), 0), placed(makeCube(), [2, 0, 0]));
    verdictOf(analyzeModel(mesh).analysis).reasons.should.deepEqual(['3 boundary edges']);
  });

  it('takes objects whose open edges match as one part', () => {
    const cube = makeCube();
    const halves = {
      ...cube,
      objects: [
        { name: 'bottom', firstTriangle: 0, triangleCount: 4 },
        { name: 'rest', firstTriangle: 4, triangleCount: 8 },
      ],
    };
    levelOf(halves).should.equal('solid');
    should(factsOf(halves)).be.undefined();
    // Two cubes that touch, of two materials each.
    const { objects = [], ...both } = joinObjects(cube, placed(cube, [2, 2, 0]));
    const split = objects.flatMap(({ name, firstTriangle }) => [
      { name: `${name} a`, firstTriangle, triangleCount: 4 },
      { name: `${name} b`, firstTriangle: firstTriangle + 4, triangleCount: 8 },
    ]);
    should(factsOf({ ...both, objects: split })).match({ count: 2 });
    levelOf({ ...both, objects: split }).should.equal('solid');
  });

  it('takes a void that is an object of its own with the part around it', () => {
    const mesh = joinObjects(placed(makeCube(), [0, 0, 0], 3), turnedOver(makeCube()));
    levelOf(mesh).should.equal('solid');
    should(factsOf(mesh)).be.undefined();
  });

  it('keeps the analysis of a model without objects, and of parts apart', () => {
    const { objects: _, ...mesh } = joinObjects(makeCube(), placed(makeCube(), [2, 0, 0]));
    levelOf(mesh).should.equal('watertight');
    const apart = joinObjects(makeCube(), placed(makeCube(), [9, 0, 0]));
    analyzeModel(apart).should.deepEqual(analyzeWithPlaces(apart));
  });
});

describe('selectWholeAnalysis', () => {
  it('returns no analysis of parts', () => {
    const whole = analyzeWithPlaces(makeCube());
    should(selectWholeAnalysis(whole)).equal(whole);
    should(selectWholeAnalysis(analyzeModel(joinObjects(makeCube(), placed(makeCube(), [2, 0, 0]))))).be.undefined();
    should(selectWholeAnalysis(undefined)).be.undefined();
  });
});
