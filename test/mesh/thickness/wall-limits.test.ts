import 'should';
import { limitSamples } from '../../../src/mesh/thickness/analyze-walls.js';
import { countSpacedPoints, someSpacedPoint } from '../../../src/mesh/thickness/spaced-points.js';
import { createWallProbe, POSSIBLY_THIN, THICK_ENOUGH } from '../../../src/mesh/thickness/wall-probe.js';
import { makeCube } from '../models/cube.js';
import { EXTREME_MODELS } from '../models/extremes.js';

const COUNT = 20_000;
const SPACING_MM = 0.6;

describe('limitSamples', () => {
  for (const [name, create] of Object.entries(EXTREME_MODELS)) {
    it(`leaves at most 4 points per triangle and 1.2 million in addition: ${name}`, () => {
      const mesh = create(COUNT);
      const spacingMm = limitSamples(mesh, SPACING_MM);
      spacingMm.should.be.aboveOrEqual(SPACING_MM);
      let count = 0;
      for (let triangle = 0; triangle < COUNT; triangle++) {
        someSpacedPoint(mesh, triangle, spacingMm, () => {
          count++;
          return false;
        });
      }
      count.should.be.belowOrEqual(1_200_000 + 4 * COUNT);
      count.should.be.belowOrEqual(countSpacedPoints(mesh, spacingMm) * 1.05);
    });
  }

  it('keeps the distance for usual models', () => {
    limitSamples(makeCube(), SPACING_MM).should.equal(SPACING_MM);
  });
});

describe('createWallProbe', () => {
  it('takes further points for possibly thin after the limit of visits', () => {
    const cube = makeCube();
    const probe = createWallProbe(cube, 1e-3, () => undefined, 50);
    const [a = 0, b = 0, c = 0] = cube.triangles;
    const center = Float64Array.from({ length: 3 }, (_, k) =>
      [a, b, c].reduce((sum, vertex) => sum + (cube.positions[vertex * 3 + k] ?? Number.NaN) / 3, 0),
    );
    const classes = Array.from({ length: 50 }, () => probe(0, center));
    [classes[0], classes.at(-1)].should.deepEqual([THICK_ENOUGH, POSSIBLY_THIN]);
  });
});
