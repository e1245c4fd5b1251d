import { createHash } from 'node:crypto';
import type { Page } from 'playwright-core';
import should from 'should';
import { COLORS, linearToSrgb } from '../../src/mesh/rendering/shade.js';
import { DEFECT_COLORS, SURFACE_COLORS } from '../../src/viewer/scene/colors.js';
import { assertAccessible } from './support/audit.js';
import { previewBracket, previewOf } from './support/previews.js';
import { registerViewerBench } from './support/viewer-bench.js';
import { startViewerBrowser } from './support/viewer-browser.js';
import { ViewerPage } from './support/viewer-page.js';

const PICTURE = 'data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7';

describe('the viewer', () => {
  const bench = registerViewerBench(async () => ({
    ...(await previewBracket()),
    empty: await previewOf({ positions: new Float64Array(), triangles: new Uint32Array() }),
  }));

  const readHash = async (): Promise<string> =>
    createHash('sha256')
      .update((await bench.viewer.readPixels()).data)
      .digest('hex');

  it('speaks German', async () => {
    const viewer = await bench.open({ language: 'GERMAN', theme: 'dark' });
    await viewer.show('damaged');
    await viewer.page.locator('#summary').getByText('149 Randkanten').waitFor();
    await viewer.page.screenshot({ path: 'test/viewer/pictures/viewer-dark-de.png' });
  });

  it('has no violations of accessibility, light and dark, also at 294 × 175 pixels', async () => {
    for (const theme of ['light', 'dark'] as const) {
      for (const viewport of [
        { width: 900, height: 600 },
        { width: 294, height: 175 },
      ]) {
        const viewer = await bench.open({ theme, context: { viewport } });
        await viewer.show('repaired', 'damaged');
        await assertAccessible(viewer.page);
        await viewer.page.screenshot({ path: `test/viewer/pictures/viewer-${theme}-${viewport.width}.png` });
      }
    }
  });

  it('leaves at least 85 pixels for the picture in 294 × 145 pixels, that of the sidebar of Node-RED 5', async () => {
    const viewer = await bench.open({ context: { viewport: { width: 294, height: 145 } } });
    await viewer.show('repaired', 'damaged');
    await viewer.page.screenshot({ path: 'test/viewer/pictures/viewer-sidebar.png' });
    const { height = 0 } = (await viewer.canvas.boundingBox()) ?? {};
    should(height).be.aboveOrEqual(85);
  });

  it('says that there is nothing to show of a model without triangles, and compares with it', async () => {
    const viewer = await bench.open();
    await viewer.showWithoutPicture('empty');
    await viewer.page.getByRole('alert').getByText('no triangles').waitFor();
    should(await viewer.canvas.count()).equal(0);
    await viewer.show('repaired', 'empty');
    should(await viewer.canvas.count()).equal(1);
  });

  it('restores a lost context with the same picture, and gives up if it is lost again', async () => {
    const viewer = await bench.open();
    await viewer.show('damaged');
    await viewer.change(() => viewer.page.getByLabel('View', { exact: true }).selectOption('top'));
    const before = await readHash();
    const lose = async (isRestored: boolean): Promise<void> => {
      await viewer.canvas.evaluate((element, restores) => {
        const context = (element as HTMLCanvasElement).getContext('webgl2');
        const extension = context?.getExtension('WEBGL_lose_context');
        if (restores)
          element.addEventListener('webglcontextlost', () => setTimeout(() => extension?.restoreContext()), {
            once: true,
          });
        extension?.loseContext();
      }, isRestored);
    };
    await viewer.change(() => lose(true));
    should(await readHash()).equal(before);
    await lose(false);
    await viewer.page.getByRole('alert').getByText('graphics driver').waitFor();
  });

  it('removes itself and releases its context on dispose', async () => {
    const viewer = await bench.open();
    await viewer.show('damaged');
    const isLost = await viewer.canvas.evaluate((element) => {
      const context = (element as HTMLCanvasElement).getContext('webgl2');
      globalThis.viewer.dispose();
      return context?.isContextLost();
    });
    should(isLost).be.true();
    should(await viewer.page.locator('main > *').count()).equal(0);
    const error = await viewer.page.evaluate(() => {
      try {
        globalThis.viewer.show({ preview: new Uint8Array() });
      } catch (thrown) {
        return String(thrown);
      }
      return '';
    });
    should(error).match(/^TypeError: The viewer was disposed/);
  });

  it('refuses a file that is not a preview', async () => {
    const viewer = await bench.open();
    const code = await viewer.page.evaluate(() => {
      try {
        globalThis.viewer.show({ preview: new Uint8Array(100) });
      } catch (error) {
        return (error as { code?: string }).code;
      }
      return undefined;
    });
    should(code).equal('PREVIEW_INVALID');
  });

  it('shows pictures, the list and the reason without WebGL', async () => {
    const other = await startViewerBrowser({ hasWebgl: false });
    try {
      const viewer = await ViewerPage.open(other, bench.site);
      await viewer.showWithoutPicture(
        'damaged',
        Array.from({ length: 8 }, () => PICTURE),
      );
      await viewer.page.getByRole('alert').getByText('does not provide WebGL 2').waitFor();
      should(await viewer.page.locator('.pictures img').count()).equal(8);
      should(await viewer.page.locator('.places button').count()).equal(217);
      await assertAccessible(viewer.page);
      viewer.problems.should.be.empty();
    } finally {
      await other.close();
    }
  });

  it('asks for pictures only without WebGL, and shows the reason if there are none', async () => {
    const show = (page: Page, isFailing: boolean) =>
      page.evaluate(async (fails) => {
        const counter = Object.assign(globalThis, { requested: 0 });
        const preview = new Uint8Array(await (await fetch('/damaged')).arrayBuffer());
        globalThis.viewer.show({
          preview,
          async *pictures() {
            counter.requested += 1;
            if (fails) throw new Error('no picture');
            yield* [];
          },
        });
      }, isFailing);
    const readCount = (page: Page) => page.evaluate(() => Object(globalThis).requested);
    const viewer = await bench.open();
    await show(viewer.page, false);
    await viewer.page.locator('canvas[data-detail=full]').waitFor();
    should(await readCount(viewer.page)).equal(0);
    const other = await startViewerBrowser({ hasWebgl: false });
    try {
      const { page, problems } = await ViewerPage.open(other, bench.site);
      await show(page, true);
      await page.getByRole('alert').getByText('does not provide WebGL 2').waitFor();
      should(await readCount(page)).equal(1);
      problems.should.be.empty();
    } finally {
      await other.close();
    }
  });

  it('shows each picture without WebGL as soon as it is there, and asks for no more once another model is shown', async () => {
    const other = await startViewerBrowser({ hasWebgl: false });
    try {
      const viewer = await ViewerPage.open(other, bench.site);
      const { page } = viewer;
      await page.evaluate(async (url) => {
        const state = Object.assign(globalThis, { requested: 0, sendNext: undefined });
        const preview = new Uint8Array(await (await fetch('/damaged')).arrayBuffer());
        globalThis.viewer.show({
          preview,
          async *pictures() {
            for (;;) {
              state.requested += 1;
              await new Promise<void>((resolve) => Object.assign(state, { sendNext: resolve }));
              yield url;
            }
          },
        });
      }, PICTURE);
      const sendNext = () => page.evaluate(() => Object(globalThis).sendNext());
      const waitForRequest = (count: number) =>
        page.waitForFunction((expected) => Object(globalThis).requested === expected, count);
      for (const count of [1, 2]) {
        await waitForRequest(count);
        should(await page.locator('.pictures img').count()).equal(count - 1);
        await sendNext();
      }
      await waitForRequest(3);
      should(await page.locator('.pictures img').count()).equal(2);
      await viewer.showWithoutPicture('damaged', [PICTURE]);
      await page.locator('.pictures img').waitFor();
      await sendNext();
      await page.evaluate(() => new Promise((resolve) => setTimeout(resolve)));
      should(await page.evaluate(() => Object(globalThis).requested)).equal(3);
      should(await page.locator('.pictures img').count()).equal(1);
    } finally {
      await other.close();
    }
  });

  it('changes its theme while a model is shown', async () => {
    const viewer = await bench.open({ theme: 'light' });
    await viewer.show('damaged');
    const readColor = () =>
      viewer.canvas.evaluate((canvas) => getComputedStyle(canvas.parentElement ?? canvas).backgroundColor);
    const light = await readColor();
    await viewer.page.evaluate(() => globalThis.viewer.setTheme('dark'));
    should(await readColor()).not.equal(light);
    await assertAccessible(viewer.page);
  });

  it('has the colors of thumbnails', () => {
    const toHex = (color: readonly number[]): number =>
      color.map(linearToSrgb).reduce((sum, component) => sum * 256 + component, 0);
    toHex(COLORS.front).should.equal(SURFACE_COLORS.front);
    toHex(COLORS.back).should.equal(SURFACE_COLORS.back);
    toHex(COLORS.openEdge).should.equal(DEFECT_COLORS.boundaryEdge);
  });
});
