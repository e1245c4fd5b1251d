import should from 'should';
import { addUserWithPassword } from '../service/support/users.js';
import { registerWebBench } from './support/web-bench.js';
import { ANN, type WebPage } from './support/web-page.js';

describe('The page for owners', () => {
  const bench = registerWebBench({}, { hasWebgl: false }); // nothing here is drawn

  const openService = async (): Promise<WebPage> => {
    const web = await bench.open({}, `/#code=${(await bench.service.createSignInCode?.()) ?? ''}`);
    await web.page.getByRole('link', { name: 'Service' }).click();
    await web.page.locator('tr', { hasText: ANN.username }).waitFor();
    return web;
  };

  it('is not offered to others', async () => {
    const web = await bench.open();
    await web.signIn();
    should(await web.page.getByRole('link', { name: 'Service' }).count()).equal(0);
    await web.page.evaluate(() => {
      location.hash = '#service';
    });
    should(await web.page.locator('table').count()).equal(0);
  });

  it('adds a user with a quota, who can sign in', async () => {
    const { page } = await openService();
    await page.getByText('Add a user').click();
    await page.getByLabel('User name', { exact: true }).fill('bob');
    await page.getByLabel('Password', { exact: true }).fill('password of bob');
    await page.getByLabel('Quota in GB').fill('2');
    await page.getByRole('button', { name: 'Add' }).first().click();
    await page.locator('tr', { hasText: 'bob' }).filter({ hasText: '2 GB' }).waitFor();
    const web = await bench.open();
    await web.signIn({ username: 'bob', password: 'password of bob' });
  });

  it('refuses a quota that is no number, and leaves it as it is', async () => {
    const { page } = await openService();
    const change = page.getByRole('button', { name: `Change quota: ${ANN.username}` });
    await change.click();
    await page.locator('dialog input').fill('1,5');
    await page.locator('dialog').getByRole('button', { name: 'Save' }).click();
    await page.locator('tr', { hasText: ANN.username }).filter({ hasText: '1.5 GB' }).waitFor();
    await change.click();
    await page.locator('dialog input').fill('2 GB');
    await page.locator('dialog').getByRole('button', { name: 'Save' }).click();
    await page.getByText('The quota is no number above 0.').waitFor();
    should(await page.locator('tr', { hasText: ANN.username }).filter({ hasText: '1.5 GB' }).count()).equal(1);
  });

  it('sets a new password, which ends the sessions of the user', async () => {
    const person = await bench.open();
    await person.signIn();
    const { page } = await openService();
    await page.getByRole('button', { name: `New password: ${ANN.username}` }).click();
    await page.locator('dialog input').fill('another password');
    await page.locator('dialog').getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved.').waitFor();
    await person.page.reload();
    await person.signIn({ ...ANN, password: 'another password' });
  });

  it('removes a user after asking', async () => {
    await addUserWithPassword(bench.folder, 'eve', 'password of eve');
    const { page } = await openService();
    await page.getByRole('button', { name: 'Remove: eve' }).click();
    await page.locator('dialog').getByRole('button', { name: 'Cancel' }).click();
    should(await page.locator('tr', { hasText: 'eve' }).count()).equal(1);
    await page.getByRole('button', { name: 'Remove: eve' }).click();
    await page.locator('dialog').getByRole('button', { name: 'Remove' }).click();
    await page.locator('tr', { hasText: 'eve' }).waitFor({ state: 'detached' });
  });

  it('adds a client, and shows its secret once', async () => {
    const { page } = await openService();
    await page.getByText('Add a client').click();
    await page.getByLabel('Client id').fill('shop');
    await page.getByLabel('Client id').press('Enter');
    await page.locator('[role=status] code').waitFor();
    await page.locator('tr', { hasText: 'shop' }).waitFor();
    await page.reload();
    await page.locator('tr', { hasText: 'shop' }).waitFor();
    should(await page.locator('[role=status] code').count()).equal(0);
  });
});
