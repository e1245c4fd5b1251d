import 'should';
import { projectMesh } from '../../../src/mesh/rendering/camera.js';
import { chooseSampling, computeWork, maxWorkOf, measureDrawing } from '../../../src/mesh/rendering/sampling.js';
import { createBand, rasterize } from '../../../src/mesh/rendering/z-buffer.js';
import { EXTREME_MODELS } from '../models/extremes.js';
import { makeTorus } from '../models/torus.js';

const ANGLES = { x: 25, y: 0, z: -35 };
const SIZE = { width: 400, height: 300 };
/** The work of an element that covers the smallest image completely. */
const MAX_WORK_PER_TRIANGLE = 1000;

/** Counts the samples whose depth is compared while a model is drawn. */
function countSamples(model: ReturnType<typeof projectMesh>, width: number, height: number): number {
  const band = createBand(width, 0, height);
  let count = 0;
  const depth = new Proxy(band.depth, {
    get: (target, index) => {
      count++;
      return Reflect.get(target, index);
    },
  });
  rasterize({ ...band, depth }, model);
  return count;
}

describe('measureDrawing', () => {
  for (const [name, create] of Object.entries(EXTREME_MODELS)) {
    it(`is not less than what drawing takes: ${name}`, () => {
      const model = projectMesh(create(100), ANGLES, 60, 45);
      countSamples(model, 60, 45).should.be.belowOrEqual(computeWork(measureDrawing(model, [], 1)));
    });
  }
});

describe('chooseSampling', () => {
  for (const [name, create] of Object.entries(EXTREME_MODELS)) {
    it(`keeps the work of a picture within its limit: ${name}`, () => {
      for (const [width, height, finest] of [
        [400, 300, 3],
        [16, 16, 3],
        [4096, 4096, 2],
      ] as const) {
        const count = 20_000;
        const mesh = create(count);
        const edges = Uint32Array.from(mesh.triangles.keys());
        const drawing = measureDrawing(projectMesh(mesh, ANGLES, width * finest, height * finest), edges, finest);
        // As if there were a hundred times as many of these triangles.
        const dense = { ...drawing, sampleCount: drawing.sampleCount * 100, rowCount: drawing.rowCount * 100 };
        for (const each of [drawing, dense]) {
          const { supersampling, pixelSize } = chooseSampling(each, { width, height, finest });
          const scale = supersampling / pixelSize;
          const limit = maxWorkOf(width * height * scale * scale) + MAX_WORK_PER_TRIANGLE * 100 * count;
          computeWork(each, scale / finest).should.be.below(limit);
        }
      }
    });
  }

  it('does not change the sampling of usual models', () => {
    const drawing = measureDrawing(projectMesh(makeTorus(500, 500), ANGLES, 1200, 900), [], 3);
    chooseSampling(drawing, { ...SIZE, finest: 3 }).should.deepEqual({ supersampling: 3, pixelSize: 1 });
  });

  it('draws larger pixels if 100,000 triangles cover the picture', () => {
    const create = EXTREME_MODELS['equal triangles'];
    if (!create) throw new Error('There is no such model.');
    const model = projectMesh(create(10), ANGLES, 1200, 900);
    const { sampleCount, rowCount } = measureDrawing(model, [], 3);
    const drawing = { sampleCount: sampleCount * 1e4, rowCount: rowCount * 1e4, elementCount: 1e5 };
    chooseSampling(drawing, { ...SIZE, finest: 3 }).should.deepEqual({ supersampling: 1, pixelSize: 4 });
  });
});
