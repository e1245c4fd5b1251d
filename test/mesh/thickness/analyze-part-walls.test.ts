import should from 'should';
import { analyzePartWalls } from '../../../src/mesh/thickness/analyze-part-walls.js';
import { analyzeWalls } from '../../../src/mesh/thickness/analyze-walls.js';
import { makeBox } from '../models/compositions.js';
import { joinObjects } from '../models/objects.js';

const OPTIONS = { minThicknessMm: 1, accuracy: 2 };
const box = makeBox([0, 0, 0], [20, 20, 20]);

describe('analyzePartWalls', () => {
  it('finds no thin walls where parts touch', () => {
    const touching = joinObjects(box, makeBox([20, 0, 0], [20, 20, 20]));
    analyzePartWalls(touching, OPTIONS).should.match({ hasThinWalls: false, hasPossibleThinWalls: false });
  });

  it('finds the thin walls of each part, marked as one object of each class', () => {
    const plates = [makeBox([20, 0, 0], [0.5, 20, 20]), makeBox([20.5, 0, 0], [20, 20, 0.25])];
    const { hasThinWalls, thinnestPlaces, marked } = analyzePartWalls(joinObjects(box, ...plates), OPTIONS);
    hasThinWalls.should.be.true();
    should(thinnestPlaces[0]?.thicknessMm).be.approximately(0.25, 1e-9);
    should(thinnestPlaces.at(-1)?.thicknessMm).be.below(1);
    const names = marked.objects?.map(({ name }) => name) ?? [];
    new Set(names).size.should.equal(names.length);
    should(names[0]).equal('thin');
    const sum = marked.objects?.reduce((total, { triangleCount }) => total + triangleCount, 0);
    should(sum).equal(marked.triangles.length / 3);
  });

  it('finds the same as analyzeWalls in a mesh of one part', () => {
    const plate = makeBox([0, 0, 0], [9, 9, 0.5]);
    const [one, other] = [analyzePartWalls(plate, OPTIONS), analyzeWalls(plate, OPTIONS)];
    one.thinnestPlaces.should.deepEqual(other.thinnestPlaces);
    one.marked.triangles.length.should.equal(other.marked.triangles.length);
  });
});
