import { createHash } from 'node:crypto';
import should from 'should';
import { makeCube } from '../mesh/models/cube.js';
import { joined, placed, without } from '../mesh/models/mesh-of.js';
import { makeTorus } from '../mesh/models/torus.js';
import { findPixels, isCutFace, isFront, isRed } from './support/colors.js';
import { previewBracket, previewOf } from './support/previews.js';
import { registerViewerBench } from './support/viewer-bench.js';

describe('the controls of the viewer', () => {
  const bench = registerViewerBench(async () => {
    const inner = placed(without(makeCube(), 0), [0, 0, 0], 0.3);
    return {
      ...(await previewBracket()),
      hidden: await previewOf(joined(makeCube(), inner)),
      torus: await previewOf(makeTorus(300, 200), 30_000),
    };
  });

  const readHash = async (): Promise<string> =>
    createHash('sha256')
      .update((await bench.viewer.readPixels()).data)
      .digest('hex');
  const press = (key: string) => bench.viewer.change(() => bench.viewer.page.keyboard.press(key));
  const current = () => bench.viewer.page.locator('[aria-current=true]');

  it('does everything by keyboard', async () => {
    const viewer = await bench.open();
    await viewer.show('damaged');
    await viewer.canvas.focus();
    await press('1');
    const front = await readHash();
    for (const [key, back] of [
      ['ArrowRight', 'ArrowLeft'],
      ['Shift+ArrowUp', 'Shift+ArrowDown'],
      ['+', '-'],
    ] as const) {
      await press(key);
      should(await readHash()).not.equal(front, key);
      await press(back);
    }
    await press('5');
    should(await readHash()).not.equal(front);
    await press('1');
    should(await readHash()).equal(front);
    await press('n');
    (await current().textContent())?.should.startWith('1:');
    await press('p');
    (await current().textContent())?.should.startWith('217:');
    await viewer.page.getByRole('status').getByText('217:').waitFor();
    await press('f');
    should(await current().count()).equal(0);
  });

  it('reaches its controls by Tab, in order', async () => {
    const viewer = await bench.open();
    await viewer.show('repaired', 'damaged');
    const names: string[] = [];
    for (let i = 0; i < 16; i++) {
      await viewer.page.keyboard.press('Tab');
      names.push(
        await viewer.page.locator('main > div').evaluate((host) => {
          const element = host.shadowRoot?.activeElement;
          return element?.getAttribute('aria-label') ?? element?.textContent ?? '';
        }),
      );
    }
    names
      .slice(0, 10)
      .should.deepEqual([
        ...['Before', 'Split', 'After', 'Fit', 'View', 'Wireframe', 'Section', 'Unit'],
        ...['3D view of the model', 'Border between before and after'],
      ]);
  });

  it('moves the border by keyboard', async () => {
    const viewer = await bench.open();
    await viewer.show('repaired', 'damaged');
    const slider = viewer.page.getByLabel('Border between before and after');
    const before = await readHash();
    await viewer.change(() => slider.press('Home'));
    should(await readHash()).not.equal(before);
  });

  it('moves the border to the right of a defect that is chosen, and leaves it there', async () => {
    const viewer = await bench.open();
    await viewer.show('repaired', 'damaged');
    const slider = viewer.page.getByLabel('Border between before and after');
    await viewer.canvas.focus();
    await press('n');
    should(await slider.inputValue()).equal('0.7');
    const { width, height, ...pixels } = await viewer.readPixels();
    const red = findPixels({ width, height, ...pixels }, isRed);
    const right = red.filter(({ x, y }) => x > width / 2 && Math.hypot(x - width / 2, y - height / 2) < 30);
    right.length.should.be.above(0);
    await viewer.change(() => slider.press('End'));
    await viewer.canvas.focus();
    await press('n');
    should(await slider.inputValue()).equal('1');
  });

  it('orbits by mouse and zooms by wheel', async () => {
    const viewer = await bench.open();
    await viewer.show('damaged');
    const start = await readHash();
    await viewer.page.mouse.move(100, 500);
    await viewer.change(async () => {
      await viewer.page.mouse.down();
      await viewer.page.mouse.move(160, 470, { steps: 3 });
      await viewer.page.mouse.up();
    });
    const orbited = await readHash();
    should(orbited).not.equal(start);
    await viewer.change(() => viewer.page.mouse.wheel(0, -200));
    should(await readHash()).not.equal(orbited);
  });

  it('orbits by touch', async () => {
    const viewer = await bench.open({ context: { hasTouch: true, viewport: { width: 700, height: 500 } } });
    await viewer.show('damaged');
    const start = await readHash();
    const session = await viewer.page.context().newCDPSession(viewer.page);
    const touch = (type: string, points: object[]) =>
      session.send('Input.dispatchTouchEvent', { type, touchPoints: points } as never);
    await viewer.change(async () => {
      await touch('touchStart', [{ x: 100, y: 400 }]);
      await touch('touchMove', [{ x: 160, y: 380 }]);
      await touch('touchEnd', []);
    });
    should(await readHash()).not.equal(start);
  });

  it('still shows the whole model after the picture has become narrower', async () => {
    const viewer = await bench.open();
    await viewer.show('torus');
    await viewer.change(() => viewer.page.getByLabel('View', { exact: true }).selectOption('top'));
    await viewer.change(() => viewer.page.setViewportSize({ width: 300, height: 900 }));
    const pixels = await viewer.readPixels();
    // Without the borders above and below the picture.
    const model = findPixels(pixels, isFront).filter(({ y }) => y > 2 && y < pixels.height - 3);
    const columns = model.map(({ x }) => x);
    should(Math.min(...columns)).be.within(1, 60);
    should(Math.max(...columns)).be.within(240, 298);
  });

  it('cuts the model in front of a defect that it hides, and shows it whole again', async () => {
    const viewer = await bench.open();
    await viewer.show('hidden');
    const whole = await readHash();
    await viewer.change(() => viewer.page.getByRole('button', { name: 'Next defect' }).click());
    await viewer.page.getByRole('status').getByText('cut away').waitFor();
    findPixels(await viewer.readPixels(), isCutFace).should.be.empty();
    await viewer.change(() => viewer.page.getByRole('button', { name: 'Show the whole model' }).click());
    await viewer.change(() => viewer.page.getByLabel('View', { exact: true }).selectOption('initial'));
    should(await readHash()).equal(whole);
  });

  it('hides defects of a kind and their pins', async () => {
    const viewer = await bench.open();
    await viewer.show('hidden');
    const pins = viewer.page.locator('.pin:not([hidden])');
    (await pins.count()).should.be.above(0);
    await viewer.change(() => viewer.page.getByText('3 boundary edges').locator('input').uncheck());
    should(await pins.count()).equal(0);
  });

  it('shows at most 30 pins, and numbers as in the list', async () => {
    const viewer = await bench.open();
    await viewer.show('damaged');
    const pins = viewer.page.locator('.pin:not([hidden])');
    (await pins.count()).should.be.within(2, 30);
    await viewer.change(() => pins.nth(1).click());
    const number = Number.parseInt((await viewer.page.locator('.pin.selected').textContent()) ?? '', 10);
    (await current().textContent())?.should.startWith(`${number}:`);
  });

  it('says how many triangles of how many it shows, and dimensions in mm and inch', async () => {
    const viewer = await bench.open();
    await viewer.show('torus');
    await viewer.page.locator('.label').getByText('30,000 of 120,000 triangles shown').waitFor();
    const summary = viewer.page.locator('#summary');
    const inMm = (await summary.textContent()) ?? '';
    await viewer.page.getByLabel('Unit', { exact: true }).selectOption('inch');
    const inInches = (await summary.textContent()) ?? '';
    const [mm = 0, inch = 0] = [inMm, inInches].map(Number.parseFloat);
    inch.should.be.approximately(mm / 25.4, 1e-4 * mm);
  });

  it('draws only on request', async () => {
    const viewer = await bench.open();
    await viewer.show('damaged');
    const requests = await viewer.page.evaluate(async () => {
      let count = 0;
      const request = globalThis.requestAnimationFrame;
      globalThis.requestAnimationFrame = (callback) => {
        count += 1;
        return request(callback);
      };
      await new Promise((resolve) => setTimeout(resolve, 300));
      return count;
    });
    should(requests).equal(0);
  });

  it('draws no more after a movement once its picture has all details', async () => {
    // So small that moving pictures have all details, too.
    const viewer = await bench.open({ context: { viewport: { width: 120, height: 120 } } });
    await viewer.show('hidden');
    await viewer.canvas.focus();
    await press('ArrowRight'); // measures how long a picture takes
    const frames = await viewer.canvas.evaluate(async (canvas) => {
      let count = 0;
      canvas.removeAttribute('data-detail');
      await new Promise<void>((resolve) => {
        const observer = new MutationObserver(() => {
          if (canvas.getAttribute('data-detail') === 'full') resolve();
        });
        observer.observe(canvas, { attributeFilter: ['data-detail'] });
        canvas.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowRight' }));
      });
      const later = new MutationObserver(() => {
        count += 1;
      });
      later.observe(canvas, { attributeFilter: ['data-detail'] });
      await new Promise((resolve) => setTimeout(resolve, 300));
      return count;
    });
    should(frames).equal(0);
  });
});
