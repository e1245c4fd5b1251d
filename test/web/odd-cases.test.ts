import { randomUUID } from 'node:crypto';
import should from 'should';
import { createSessions } from '../../src/service/store/sessions.js';
import { CUBE, sphere } from '../service/support/models.js';
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
      { name: 'cube.bin', content: CUBE },
    );
    await web.waitForRow('notes.txt', 'Reading failed');
    await web.waitForRow('broken.stl', 'Reading failed');
    await web.waitForRow('cube.bin', 'Ready to print');
  });

  it('asks to sign in when the session has ended, and then completes the list and the uploads', async () => {
    const web = await bench.open();
    await web.signIn();
    await web.choose({ name: 'first.stl', content: CUBE });
    await web.waitForRow('first.stl', 'Ready to print');
    // The upload ends the session: a poll before it would replace the page with the form to sign in.
    await web.page.route(
      '**/web-api/operation/file',
      async (route) => {
        await withStore(bench.folder, (store) => store.deleteFrom('session').execute());
        await route.continue();
      },
      { times: 1 },
    );
    await web.choose({ name: 'second.stl', content: CUBE });
    await web.page.getByText('Your session has ended.').waitFor();
    await web.signIn();
    await web.waitForRow('first.stl', 'Ready to print');
    await web.waitForRow('second.stl', 'Ready to print');
  });

  it('stays signed in if a request of the session that has ended is refused after the sign-in', async () => {
    const web = await bench.open();
    await web.signIn();
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    await web.page.route(
      '**/web-api/operation/file',
      async (route) => {
        await withStore(bench.folder, (store) => store.deleteFrom('session').execute());
        const response = await route.fetch();
        await released;
        await route.fulfill({ response });
      },
      { times: 1 },
    );
    await web.choose({ name: 'cube.stl', content: CUBE });
    await web.page.getByText('Your session has ended.').waitFor(); // a poll was refused, too
    await web.signIn();
    const refused = web.page.waitForResponse((reply) => reply.status() === 401);
    release();
    await refused;
    await web.waitForRow('cube.stl', 'Ready to print');
  });

  it('asks to sign in after a sign-out in another tab', async () => {
    const web = await bench.open();
    await web.signIn();
    const other = await bench.openTab(web);
    await other.page.getByRole('button', { name: 'Sign out' }).click();
    await other.page.locator('input[name=username]').waitFor();
    await web.page.getByText('Your session has ended.').waitFor();
  });

  it('says that a sign-out failed, and stays signed in', async () => {
    const web = await bench.open();
    await web.signIn();
    await web.page.route('**/session', (route) =>
      route.request().method() === 'DELETE' ? route.abort('connectionreset') : route.continue(),
    );
    await web.page.getByRole('button', { name: 'Sign out' }).click();
    await web.page.getByRole('alert').filter({ hasText: 'You are still signed in.' }).waitFor();
    await web.page.unroute('**/session');
    await web.page.getByRole('button', { name: 'Sign out' }).click();
    await web.page.locator('input[name=username]').waitFor();
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

  it('says that a model has expired, and has no link to it', async () => {
    const web = await bench.open();
    await web.signIn();
    await web.choose({ name: 'cube.stl', content: CUBE });
    await web.waitForRow('cube.stl', 'Ready to print');
    await withStore(bench.folder, (store) => store.updateTable('file').set({ deleted_at: 1 }).execute());
    await web.page.reload();
    await web.waitForRow('cube.stl', 'Expired or deleted');
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

  it('shows by its polls what is completed while the request that waits for it gets no reply', async () => {
    const web = await bench.open();
    await web.signIn();
    await web.page.evaluate(() => {
      const createSignal = AbortSignal.timeout;
      AbortSignal.timeout = (ms) => createSignal(ms < 30_000 ? ms : 1e9); // the time of other requests is too long
    });
    await web.page.route('**/ui/operations?*', () => undefined); // as on a connection that was lost
    const waiting = web.page.waitForRequest('**/ui/operations?*');
    await web.choose({ name: 'cube.stl', content: CUBE });
    await waiting;
    await web.waitForRow('cube.stl', 'Ready to print');
  });

  it('shows by its polls what is completed while the service refuses to wait for it, and asks no sooner than it says', async () => {
    const web = await bench.open();
    await web.signIn();
    let count = 0;
    await web.page.route('**/ui/operations?*', (route) => {
      count += 1;
      return route.fulfill({ status: 429, headers: { 'retry-after': '600' }, json: { errors: [] } });
    });
    for (const name of ['first.stl', 'second.stl']) {
      await web.choose({ name, content: CUBE });
      await web.waitForRow(name, 'Ready to print');
    }
    should(count).equal(1);
  });

  it('goes on after the record of an operation was deleted that it waits for', async () => {
    const web = await bench.open();
    await web.signIn();
    const operationId = randomUUID(); // as of an operation whose record was deleted after its start
    await web.page.route('**/web-api/operation/import', (route) => route.fulfill({ json: { operationId } }), {
      times: 1,
    });
    const missing = web.page.waitForResponse((reply) => reply.url().includes(operationId) && reply.status() === 404);
    await web.choose({ name: 'cube.stl', content: CUBE });
    await missing;
    await web.waitForRow('cube.stl', 'Not read yet');
    should(await web.page.getByText('No connection to the service').count()).equal(0);
    await web.page.getByRole('button', { name: 'Read the model' }).click();
    await web.waitForRow('cube.stl', 'Ready to print');
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
