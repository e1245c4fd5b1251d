import { open, rm } from 'node:fs/promises';
import path from 'node:path';
import should from 'should';
import { CUBE, OPEN_CUBE } from '../service/support/models.js';
import { startMemoryMeter } from './support/memory-meter.js';
import { registerWebBench } from './support/web-bench.js';
import type { WebPage } from './support/web-page.js';

/** `UPLOAD_BYTES`: of another file, for example 5e9. */
const LARGE_BYTES = Number(process.env.UPLOAD_BYTES ?? 300e6);
const MAX_GROWTH_MIB = 120;

/** Has the uploads of a page take an hour. */
async function limitUploadSpeed({ context, page }: WebPage): Promise<void> {
  const session = await context.newCDPSession(page);
  await session.send('Network.enable');
  const unlimited = { offline: false, latency: 0, downloadThroughput: -1 };
  await session.send('Network.emulateNetworkConditions', { ...unlimited, uploadThroughput: 500 });
}

describe('The uploads of the page', () => {
  const bench = registerWebBench({ quotaBytes: 4 * LARGE_BYTES }, { hasWebgl: false }); // nothing here is drawn

  it('sends 500 files, two at a time', async () => {
    const web = await bench.open();
    await web.signIn();
    let [running, highest, count] = [0, 0, 0];
    await web.page.route('**/web-api/operation/file', async (route) => {
      running += 1;
      highest = Math.max(highest, running);
      count += 1;
      await new Promise((resolve) => {
        setImmediate(resolve);
      });
      running -= 1;
      const fileId = `00000000-0000-4000-8000-${String(count).padStart(12, '0')}`;
      await route.fulfill({ json: { fileId, creationDate: new Date().toISOString() } });
    });
    await web.page.route('**/web-api/operation/import', (route) =>
      route.fulfill({ status: 404, json: { errors: [] } }),
    );
    await web.page.evaluate((text) => {
      const dataTransfer = new DataTransfer();
      for (let i = 0; i < 500; i++) dataTransfer.items.add(new File([text], `cube-${i}.stl`));
      document.body.dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }));
    }, OPEN_CUBE);
    await web.page.waitForFunction(() => document.querySelectorAll('.rows progress').length === 0);
    while (count < 500) await web.page.waitForTimeout(20);
    should(highest).be.belowOrEqual(2);
    should(count).equal(500);
    should(await web.page.locator('.rows > li').count()).be.below(100);
  });

  it('leaves connections to a window of the same browser while two others upload', async () => {
    const first = await bench.open();
    await first.signIn();
    const content = Buffer.alloc(2e6);
    for (const web of [first, await bench.openTab(first)]) {
      await limitUploadSpeed(web);
      const sending = web.page.waitForRequest('**/web-api/operation/file');
      await web.choose(...[1, 2, 3, 4].map((index) => ({ name: `large ${index}.stl`, content })));
      await sending;
    }
    const web = await bench.openTab(first);
    await web.page.locator('[data-key=choose-files]').waitFor();
    await web.choose({ name: 'cube.stl', content: CUBE });
    await web.waitForRow('cube.stl', 'Ready to print');
  });

  it('keeps the folders of a file in its name, and leaves out files of other formats', async () => {
    const web = await bench.open();
    await web.signIn();
    await web.page.evaluate((text) => {
      const chosen = [
        [text, 'printer/left/part.stl'],
        ['x', 'printer/notes.txt'],
        ['x', 'printer/.DS_Store'],
      ] as const;
      const files = chosen.map(([content, path]) =>
        Object.defineProperty(new File([content], path.replace(/.*\//, '')), 'webkitRelativePath', { value: path }),
      );
      const input = document.querySelectorAll<HTMLInputElement>('input[type=file]')[1];
      Object.defineProperty(input, 'files', { value: files });
      input?.dispatchEvent(new Event('change'));
    }, CUBE);
    await web.waitForRow('printer - left - part.stl', 'Ready to print');
    await web.page.getByText('Files of other formats left out: 1.').waitFor();
  });

  it('starts to read an uploaded file again, if the service was not reached after its upload or is busy', async () => {
    const web = await bench.open();
    await web.signIn();
    const replies = ['connectionreset', 429, 503];
    await web.page.route('**/web-api/operation/import', (route) => {
      const reply = replies.shift();
      if (typeof reply === 'string') return route.abort(reply);
      return reply === undefined ? route.continue() : route.fulfill({ status: reply, json: { errors: [] } });
    });
    await web.choose({ name: 'cube.stl', content: CUBE });
    await web.waitForRow('cube.stl', 'Ready to print');
    should(replies).deepEqual([]);
  });

  for (const message of ['Quota of the user exceeded.', 'The disk of the service is full.']) {
    it(`tries an upload again by a button that was refused: ${message}`, async () => {
      const web = await bench.open();
      await web.signIn();
      const json = { errors: [{ code: 50799, message }] };
      await web.page.route('**/web-api/operation/file', (route) => route.fulfill({ status: 507, json }), { times: 1 });
      await web.choose({ name: 'cube.stl', content: CUBE });
      await web.waitForRow('cube.stl', message);
      await web.row('cube.stl').getByRole('button', { name: 'Try again' }).click();
      await web.waitForRow('cube.stl', 'Ready to print');
    });
  }

  it('does not send a file above the limit of the service, and says so beside it', async () => {
    await bench.service.close();
    await bench.restart({ limits: { uploadBytes: OPEN_CUBE.length } });
    const web = await bench.open();
    await web.signIn();
    await web.choose({ name: 'large.stl', content: CUBE }, { name: 'small.stl', content: OPEN_CUBE });
    await web.waitForRow('large.stl', 'The file is too large: the limit is');
    await web.waitForRow('small.stl', 'Needs repair');
    should(await web.row('large.stl').getByRole('button', { name: 'Try again' }).count()).equal(0);
  });

  it('sends a file again after the service was restarted during its upload, once', async () => {
    const web = await bench.open();
    await web.signIn();
    // The reply is lost: the page cannot know that the file was stored.
    await web.page.route(
      '**/web-api/operation/file',
      async (route) => {
        await route.fetch();
        await bench.service.close();
        await route.abort('connectionreset');
      },
      { times: 1 },
    );
    await web.choose({ name: 'cube.stl', content: CUBE });
    await web.waitForRow('cube.stl', 'Connection lost.');
    await bench.restart();
    await web.waitForRow('cube.stl', 'Ready to print');
    should(await web.row('cube.stl').count()).equal(1);
  });

  it('sends a large file from the disk, in memory that does not depend on its size', async () => {
    const web = await bench.open();
    await web.signIn();
    await web.choose({ name: 'cube.stl', content: CUBE });
    await web.waitForRow('cube.stl', 'Ready to print');
    const file = path.join(bench.folder, 'large.stl');
    const handle = await open(file, 'w');
    await handle.truncate(LARGE_BYTES); // zeros that take no space
    await handle.close();
    const meter = await startMemoryMeter();
    try {
      await web.page.locator('input[type=file]').first().setInputFiles(file);
      const row = web.row('large.stl').filter({ hasText: /Reading|queue/ });
      await row.waitFor({ timeout: 0 }); // that of the test counts
    } finally {
      await meter.stop();
      await rm(file);
    }
    const { growth } = meter;
    should(growth.browserMib).be.below(MAX_GROWTH_MIB);
    should(growth.serviceMib).be.below(MAX_GROWTH_MIB);
  });
});
