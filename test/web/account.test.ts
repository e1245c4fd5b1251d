import { registerWebBench } from './support/web-bench.js';
import { ANN, type WebPage } from './support/web-page.js';

describe('The account of a user of the page', () => {
  const bench = registerWebBench({}, { hasWebgl: false }); // nothing here is drawn

  const openAccount = async (): Promise<WebPage> => {
    const web = await bench.open();
    await web.signIn();
    await web.page.getByRole('link', { name: ANN.username }).click();
    await web.page.locator('h1', { hasText: ANN.username }).waitFor();
    return web;
  };

  it('signs out everywhere', async () => {
    const other = await bench.open();
    await other.signIn();
    const { page } = await openAccount();
    await page.getByRole('button', { name: 'Sign out everywhere' }).click();
    await page.locator('dialog').getByRole('button', { name: 'Sign out everywhere' }).click();
    await page.getByLabel('Password', { exact: true }).waitFor();
    await other.page.reload();
    await other.page.getByLabel('Password', { exact: true }).waitFor();
    await other.signIn();
  });

  it('gets another password, with which the page goes on', async () => {
    const { page } = await openAccount();
    const save = page.getByRole('button', { name: 'Save' });
    await page.getByLabel('Current password').fill('guess');
    await page.getByLabel('New password').fill('another password');
    await save.click();
    await page.getByText('The current password is wrong.').waitFor();
    await page.getByLabel('Current password').fill(ANN.password);
    await save.click();
    await page.getByText('The password was changed.').waitFor();
    await page.reload();
    await page.locator('h1', { hasText: ANN.username }).waitFor();
    const web = await bench.open();
    await web.signIn({ ...ANN, password: 'another password' });
  });
});
