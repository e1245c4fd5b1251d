import should from 'should';
import { readPreview } from '../../src/viewer/preview/read-preview.js';
import { makeCube } from '../mesh/models/cube.js';
import { meshOf, placed, without } from '../mesh/models/mesh-of.js';
import { makePlate } from '../mesh/models/sweeps.js';
import { makeTorus } from '../mesh/models/torus.js';
import { projectFromTop, scaleFromTop } from './support/camera-model.js';
import { findPixels, isBack, isCutFace, isFront, isRed } from './support/colors.js';
import { previewBracket, previewOf } from './support/previews.js';
import { registerViewerBench } from './support/viewer-bench.js';
import type { ViewerPage } from './support/viewer-page.js';

const CUBE_BOX = { min: [-1, -1, -1], max: [1, 1, 1] } as const;
const VIEWS = ['initial', 'front', 'back', 'left', 'right', 'top', 'bottom'];

/** Creates a tube around the z axis, from z = 0 to 6. */
function makePipe(outer: number, inner: number, sides: number) {
  const circle = (radius: number): [number, number][] =>
    Array.from({ length: sides }, (_, i) => {
      const angle = (2 * Math.PI * i) / sides;
      return [radius * Math.cos(angle), radius * Math.sin(angle)];
    });
  return makePlate(circle(outer), [circle(inner)], 6);
}

/** Changes the number of triangles in a preview to 0. */
function withoutTriangles(preview: Uint8Array): Uint8Array {
  const text = Buffer.from(preview).toString('latin1');
  return Buffer.from(text.replace('"trianglesShown":12', '"trianglesShown":0 '), 'latin1');
}

describe('the pictures of the viewer', () => {
  let viewer: ViewerPage;
  const bench = registerViewerBench(async () => ({
    ...(await previewBracket()),
    cube: await previewOf(makeCube()),
    openCube: await previewOf(without(makeCube(), 2, 3)),
    pipe: await previewOf(makePipe(5, 3, 96)),
    torus: await previewOf(makeTorus(150, 100)),
    sheet: await previewOf(
      meshOf(
        [
          [0, 0, 5],
          [1, 0, 5],
          [0, 1, 5],
        ],
        [[0, 1, 2]],
      ),
    ),
    none: withoutTriangles(await previewOf(makeCube())),
    tiny: await previewOf(placed(makeCube(), [0, 0, 0], 0.005)),
    huge: await previewOf(placed(makeCube(), [0, 0, 0], 5_000_000)),
    far: await previewOf(placed(makeCube(), [1e6, 2e6, -3e6])),
  }));

  beforeEach(async () => {
    viewer = await bench.open();
  });

  const choose = (label: string, value: string) =>
    viewer.change(() => viewer.page.getByLabel(label, { exact: true }).selectOption(value));

  it('show a boundary edge in red at the center after it was chosen in the list', async () => {
    const { damaged } = await previewBracket();
    const { places } = readPreview(damaged).report;
    const indices = places.flatMap(({ defect }, i) => (defect === 'boundaryEdge' && i % 6 === 0 ? [i] : []));
    indices.length.should.be.above(15);
    await viewer.show('damaged');
    for (const index of indices) {
      await viewer.change(() => viewer.page.locator('.places button').nth(index).click());
      const { width, height, ...pixels } = await viewer.readPixels();
      const red = findPixels({ width, height, ...pixels }, isRed);
      const nearest = Math.min(...red.map(({ x, y }) => Math.hypot(x - width / 2, y - height / 2)));
      should(nearest).be.below(4, `place ${index + 1}`);
    }
  });

  it('show no red in a repaired model', async () => {
    await viewer.show('repaired');
    for (const view of VIEWS) {
      await choose('View', view);
      findPixels(await viewer.readPixels(), isRed).should.be.empty();
    }
  });

  it('show no dots of the back of a solid', async () => {
    for (const name of ['repaired', 'torus', 'tiny', 'huge', 'far']) {
      await viewer.show(name);
      for (const view of VIEWS) {
        await choose('View', view);
        const pixels = await viewer.readPixels();
        const fronts = findPixels(pixels, isFront).length;
        fronts.should.be.above(10_000);
        should(findPixels(pixels, isBack).length).be.belowOrEqual(fronts * 1e-4, `${name} ${view}`);
      }
    }
  });

  it('show the inside of an open model in the color of the back', async () => {
    await viewer.show('openCube');
    await choose('View', 'top');
    findPixels(await viewer.readPixels(), isBack).length.should.be.above(10_000);
  });

  it('show a flat sheet from both sides', async () => {
    await viewer.show('sheet');
    await choose('View', 'top');
    findPixels(await viewer.readPixels(), isFront).length.should.be.above(10_000);
    await choose('View', 'bottom');
    findPixels(await viewer.readPixels(), isBack).length.should.be.above(10_000);
  });

  it('close a cut cube by a face of the right area', async () => {
    await viewer.show('cube');
    await choose('View', 'top');
    await choose('Section', 'z');
    const pixels = await viewer.readPixels();
    const expected = 4 * scaleFromTop(CUBE_BOX, pixels.width, pixels.height, 0) ** 2;
    findPixels(pixels, isCutFace).length.should.be.approximately(expected, expected * 0.02);
  });

  it('close a cut tube by a ring of the right area', async () => {
    await viewer.show('pipe');
    await choose('View', 'top');
    await choose('Section', 'view');
    const pixels = await viewer.readPixels();
    const box = { min: [-5, -5, 0], max: [5, 5, 6] } as const;
    const area = 48 * Math.sin((2 * Math.PI) / 96) * (25 - 9);
    const expected = area * scaleFromTop(box, pixels.width, pixels.height, 3) ** 2;
    findPixels(pixels, isCutFace).length.should.be.approximately(expected, expected * 0.02);
  });

  it('show the models before and after left and right of the border', async () => {
    await viewer.show('repaired', 'damaged');
    const split = await viewer.readPixels();
    await viewer.change(() => viewer.page.getByRole('button', { name: 'Before' }).click());
    const before = await viewer.readPixels();
    await viewer.change(() => viewer.page.getByRole('button', { name: 'After' }).click());
    const after = await viewer.readPixels();
    const differences = { left: 0, right: 0, leftFromAfter: 0 };
    for (let i = 0; i < split.data.length; i++) {
      const x = (i >> 2) % split.width;
      if (x === split.width / 2 || x === split.width / 2 - 1) continue; // both beside the border
      const isBefore = x < split.width / 2;
      if (isBefore && split.data[i] !== before.data[i]) differences.left += 1;
      if (isBefore && split.data[i] !== after.data[i]) differences.leftFromAfter += 1;
      if (!isBefore && split.data[i] !== after.data[i]) differences.right += 1;
    }
    should(differences).match({ left: 0, right: 0 });
    differences.leftFromAfter.should.be.above(1000);
  });

  it('have a pin within three pixels of the place of each visible defect', async () => {
    await viewer.show('openCube');
    await choose('View', 'top');
    const { places } = readPreview(await previewOf(without(makeCube(), 2, 3))).report;
    const canvas = await viewer.canvas.boundingBox();
    if (!canvas) throw new Error('no canvas');
    const pins = viewer.page.locator('.pin:not([hidden])');
    should(await pins.count()).equal(places.length);
    for (const [i, { x, y, z }] of places.entries()) {
      const box = await pins.getByText(String(i + 1), { exact: true }).boundingBox();
      if (!box) throw new Error(`no pin ${i + 1}`);
      const expected = projectFromTop(CUBE_BOX, [x, y, z], canvas.width, canvas.height);
      const tip = { x: box.x + box.width / 2 - canvas.x, y: box.y + box.height - canvas.y };
      Math.hypot(tip.x - expected.x, tip.y - expected.y).should.be.below(3);
    }
  });

  it('have a sentence instead if the model has no triangles, and the next model is shown', async () => {
    await viewer.showWithoutPicture('none');
    await viewer.page.getByRole('alert').getByText('The model has no triangles').waitFor();
    await viewer.show('cube');
    findPixels(await viewer.readPixels(), isFront).length.should.be.above(10_000);
  });
});
