import { readFile } from 'node:fs/promises';
import should from 'should';
import { parseModel } from '../../src/mesh/formats/parse-model.js';
import { placed } from '../mesh/models/mesh-of.js';
import { findPixels, isRed } from './support/colors.js';
import { previewOf } from './support/previews.js';
import { registerViewerBench } from './support/viewer-bench.js';
import type { Pixels } from './support/viewer-page.js';

/** The longest side of the bracket, in mm. */
const SIDE_MM = 60;
const VARIANTS = {
  'of 0.01 mm': { offset: [0, 0, 0], factor: 0.01 / SIDE_MM },
  'of 10 km': { offset: [0, 0, 0], factor: 1e7 / SIDE_MM },
  'a kilometer from the origin': { offset: [1e6, -5e5, 2e5], factor: 1 },
} as const;
/** A view, and movements from it. */
const KEYS = ['1', 'ArrowRight', 'ArrowRight', 'ArrowUp', '+', 'ArrowRight', 'ArrowUp'];
/** Two colors differ if a component does by more than this: pixels at edges are blended. */
const MIN_DIFFERENCE = 48;
/** Rounding to the grid of a preview moves vertices by up to half a step, so some pixels at edges differ. */
const MAX_FRACTION = 0.002;

function countDifferences(a: Pixels, b: Pixels): number {
  let count = 0;
  for (let i = 0; i < a.data.length; i += 4) {
    const isDifferent = [0, 1, 2].some((k) => Math.abs((a.data[i + k] ?? 0) - (b.data[i + k] ?? 0)) > MIN_DIFFERENCE);
    if (isDifferent) count += 1;
  }
  return count;
}

describe('the pictures of models of any size and place', () => {
  const bench = registerViewerBench(async () => {
    const { mesh } = await parseModel(await readFile('samples/bracket.stl'), { filename: 'bracket.stl' });
    const entries = Object.entries(VARIANTS).map(
      async ([name, { offset, factor }]) => [encodeURI(name), await previewOf(placed(mesh, offset, factor))] as const,
    );
    return { bracket: await previewOf(mesh), ...Object.fromEntries(await Promise.all(entries)) };
  });
  const press = (key: string) => bench.viewer.change(() => bench.viewer.canvas.press(key));
  const readFrames = async (name: string): Promise<Pixels[]> => {
    const frames: Pixels[] = [];
    await bench.viewer.show(name);
    for (const key of KEYS) {
      await press(key);
      frames.push(await bench.viewer.readPixels());
    }
    return frames;
  };

  for (const name of Object.keys(VARIANTS))
    it(`do not flicker: those of a model ${name} are those of the model, frame by frame, with its defects`, async () => {
      await bench.open();
      const expected = await readFrames('bracket');
      const frames = await readFrames(encodeURI(name));
      for (const [i, frame] of frames.entries()) {
        const reference = expected[i] ?? frame;
        findPixels(frame, isRed).length.should.be.above(100);
        const fraction = countDifferences(frame, reference) / (frame.width * frame.height);
        should(fraction).be.below(MAX_FRACTION, `frame ${i}`);
        const next = expected[i + 1];
        if (next) countDifferences(frame, next).should.be.above(4 * MAX_FRACTION * frame.width * frame.height);
      }
      // The same view again has the same pixels, all of them.
      await press('1');
      should(Buffer.compare((await bench.viewer.readPixels()).data, frames[0]?.data ?? Buffer.alloc(0))).equal(0);
    });
});
