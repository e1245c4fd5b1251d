import should from 'should';
import { createSessions } from '../../src/service/store/sessions.js';
import { CUBE, OPEN_CUBE, sphere } from '../service/support/models.js';
import { addUserWithPassword, withStore } from '../service/support/users.js';
import { registerWebBench } from './support/web-bench.js';
import { ANN } from './support/web-page.js';

const HOSTILE = `<img src=x onerror=document.title='owned'>`;
const NAMES = [`${HOSTILE}.stl`, `'); alert(1); --.stl`, 'モデル ﷽ العربية 😀.stl', `${'ä'.repeat(120)}.stl`];

describe('The page in odd cases', () => {
  const bench = registerWebBench({}, { hasWebgl: false }); // nothing here is drawn

  it('says beside a file why it was refused, and goes on with the others', async () => {
    const web = await bench.open();
    await web.signIn();
    await web.choose(
      { name: 'notes.txt', content: 'text' },
      { name: 'broken.stl', content: 'no triangles' },
      { name: 'cube.stl', content: CUBE },
    );
    await web.waitForRow('notes.txt', 'This format is not supported.');
    await web.waitForRow('broken.stl', 'Reading failed');
    await web.waitForRow('cube.stl', 'Ready to print');
    await web.row('notes.txt').getByRole('button', { name: 'Remove' }).click();
    await web.row('notes.txt').waitFor({ state: 'detached' });
  });

  it('tries an upload again that was refused, by a button', async () => {
    const web = await bench.open();
    await web.signIn();
    const refusal = { errors: [{ code: 50702, message: 'Quota of the user exceeded.' }] };
    await web.page.route('**/web-api/operation/file', (route) => route.fulfill({ status: 507, json: refusal }), {
      times: 1,
    });
    await web.choose({ name: 'cube.stl', content: CUBE });
    await web.waitForRow('cube.stl', 'Quota of the user exceeded.');
    await web.row('cube.stl').getByRole('button', { name: 'Try again' }).click();
    await web.waitForRow('cube.stl', 'Ready to print');
  });

  it('asks to sign in when the session has ended, and then completes the list and the uploads', async () => {
    const web = await bench.open();
    await web.signIn();
    await web.choose({ name: 'first.stl', content: CUBE });
    await web.waitForRow('first.stl', 'Ready to print');
    await withStore(bench.folder, (store) => store.deleteFrom('session').execute());
    await web.choose({ name: 'second.stl', content: CUBE });
    await web.page.getByText('Your session has ended.').waitFor();
    await web.signIn();
    await web.waitForRow('first.stl', 'Ready to print');
    await web.waitForRow('second.stl', 'Ready to print');
  });

  it('asks to sign in after a sign-out in another tab', async () => {
    const web = await bench.open();
    await web.signIn();
    const other = await bench.openTab(web);
    await other.page.getByRole('button', { name: 'Sign out' }).click();
    await other.page.locator('input[name=username]').waitFor();
    await web.page.getByText('Your session has ended.').waitFor();
  });

  it('never shows the models of one user to another who signs in in another tab', async () => {
    await addUserWithPassword(bench.folder, 'bob', 'password of bob');
    const web = await bench.open();
    await web.signIn();
    await web.choose({ name: 'of ann.stl', content: CUBE });
    await web.waitForRow('of ann.stl', 'Ready to print');
    const other = await bench.openTab(web);
    await other.page.getByRole('button', { name: 'Sign out' }).click();
    await other.signIn({ username: 'bob', password: 'password of bob' });
    await web.page.getByText('Your session has ended.').waitFor();
    await other.choose({ name: 'of bob.stl', content: CUBE });
    await other.waitForRow('of bob.stl', 'Ready to print');
    should(await other.row('of ann.stl').count()).equal(0);
    await web.signIn();
    await web.waitForRow('of ann.stl', 'Ready to print');
    should(await web.row('of bob.stl').count()).equal(0);
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

  for (const name of NAMES) {
    it(`shows the name ${JSON.stringify(name.slice(0, 30))} as text`, async () => {
      const web = await bench.open();
      await web.signIn();
      await web.choose({ name, content: CUBE });
      await web.waitForVerdict('Ready to print');
      const shown = (await web.page.locator('h1').textContent()) ?? '';
      shown.should.endWith('.stl');
      const withoutRemoved = (text: string): string => text.replace(/["<>|:*?]/g, '').slice(0, 10);
      should(withoutRemoved(shown)).equal(withoutRemoved(name)); // the service removes these characters
      should(await web.page.title()).equal('Model Processing');
      should(await web.page.locator('img[src=x]').count()).equal(0);
    });
  }

  it('says that a model was deleted, and has no link to it', async () => {
    const web = await bench.open();
    await web.signIn();
    await web.choose({ name: 'cube.stl', content: CUBE });
    await web.waitForVerdict('Ready to print');
    await web.page.getByRole('button', { name: 'Delete' }).click();
    await web.page.locator('dialog').getByRole('button', { name: 'Delete' }).click();
    await web.waitForRow('cube.stl', 'Expired or deleted');
    await web.row('cube.stl').locator('a').click();
    await web.page.getByText('This model has expired or was deleted.').waitFor();
    should(await web.page.locator('a[download]').count()).equal(0);
  });

  it('cancels an operation, and says so', async () => {
    const web = await bench.open();
    await web.signIn();
    await web.choose({ name: 'sphere.stl', content: sphere(400, 500) });
    await web.page.locator('.state-panel [data-key=cancel]').click();
    await web.waitForRow('sphere.stl', 'Reading cancelled');
    await web.page.getByRole('button', { name: 'Read the model' }).waitFor();
  });

  it('sends 500 files, four at a time', async () => {
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
    should(highest).be.belowOrEqual(4);
    should(count).equal(500);
    should(await web.page.locator('.rows > li').count()).be.below(100);
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

  it('shows a message while the service is not reached, and goes on afterwards', async () => {
    const web = await bench.open();
    await web.signIn();
    await web.choose({ name: 'cube.stl', content: CUBE });
    await web.waitForRow('cube.stl', 'Ready to print');
    await bench.service.close();
    await web.page.evaluate(() => dispatchEvent(new Event('online'))); // it polls at once
    await web.page.getByText('No connection to the service. Trying again').waitFor();
    await bench.restart();
    await web.page
      .getByText('No connection to the service. Trying again')
      .waitFor({ state: 'detached' })
      .catch(() => undefined);
    await web.choose({ name: 'next.stl', content: CUBE });
    await web.waitForRow('next.stl', 'Ready to print');
  });

  it('signs in by a link that is opened in a tab of the page', async () => {
    const web = await bench.open();
    await web.page.locator('input[name=username]').waitFor();
    const code = (await bench.service.createSignInCode?.()) ?? '';
    await web.page.goto(`${bench.service.baseUrl}/#code=${code}`);
    await web.page.locator('[data-key=choose-files]').waitFor();
    should(web.page.url()).not.containEql(code);
  });

  it('refuses a wrong password, and keeps the name', async () => {
    const web = await bench.open();
    const { page } = web;
    await page.locator('input[name=username]').fill(ANN.username);
    await page.locator('input[name=password]').fill('wrong password');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').filter({ hasText: 'The user name or the password is wrong.' }).waitFor();
    should(await page.locator('input[name=username]').inputValue()).equal(ANN.username);
    await withStore(bench.folder, async (store) => should(await createSessions(store).find('', 0)).equal(undefined));
  });
});
