import 'should';
import should from 'should';
import { UNIT_IN_MM } from '../../src/mesh/core/units.js';
import { translateReason as translateInReport } from '../../src/service/command-line/html-report/german-reasons.js';
import { listPlausibleUnits } from '../../src/web/models/plausible-units.js';
import { translateReason } from '../../src/web/texts/german-reasons.js';
import { bambuProject } from '../mesh/formats/helper-bodies/slicer-files.js';
import { CUBE, sphere } from '../service/support/models.js';
import { registerWebBench } from './support/web-bench.js';

const REASONS = [
  ...['3 boundary edges', '1 edge has four triangles', '2 edges have more than two triangles', 'no triangles'],
  ...[
    '1 non-manifold vertex',
    '2 inconsistently wound edges',
    'inside out: 12 triangles face inward',
    'incomplete file',
  ],
  'incomplete file: 4 % of the triangles',
  'implausible size: largest dimension 0.07 mm, and the file states no unit',
  'implausible size: volume 6 mm³, and the file states no unit',
  'volume lost without an explanation',
  'walls without thickness were dropped',
];

describe('The German reasons of the page', () => {
  it('are those of the HTML report', () => {
    for (const reason of REASONS) {
      translateReason(reason).should.equal(translateInReport(reason));
      translateReason(reason).should.not.equal(reason);
    }
  });
});

describe('The units that a size suggests', () => {
  const list = (sizeMm: number, volumeMm3: number) => listPlausibleUnits(sizeMm, volumeMm3, UNIT_IN_MM);

  it('begin with inches, or with meters for a tiny volume', () => {
    list(3, 6).should.deepEqual(['inch', 'cm', 'ft']);
    list(0.07, 0.0003).should.deepEqual(['m', 'inch', 'ft']);
  });

  it('are only those in which the size is plausible', () => {
    list(25_412, 1e9).should.deepEqual(['um']);
    list(1e9, 1e20).should.be.empty();
  });
});

describe('The verdict of the page', () => {
  const bench = registerWebBench();

  it('names the plates and the helper bodies of a project, in notes that are open', async () => {
    const boxes = [10, 20].map((height) => [{ min: [0, 0, 0], max: [20, 20, height] }] as const);
    const plates = [2, 4].map((objectId, index) => {
      const instance = `<model_instance><metadata key="object_id" value="${objectId}"/></model_instance>`;
      return `<plate><metadata key="plater_id" value="${index + 1}"/>${instance}</plate>`;
    });
    const web = await bench.open();
    await web.signIn();
    await web.choose({ name: 'plates.3mf', content: bambuProject(boxes, { more: plates.join('') }) });
    await web.page.locator('details[open]', { hasText: /plates/ }).waitFor();
  });

  it('says that a truncated file is incomplete, also after its repair', async () => {
    const web = await bench.open();
    const { page } = web;
    await web.signIn();
    await web.choose({ name: 'cut.stl', content: sphere(20, 20).subarray(0, 84 + 50 * 400) });
    await web.waitForVerdict('Needs repair');
    const reasons = page.locator('.reasons li');
    should(await reasons.first().textContent()).equal('incomplete file: 53 % of the triangles');
    await page.locator('[data-action=repair]').click();
    await web.waitForVerdict('Check the file');
    should(await reasons.allTextContents()).deepEqual(['incomplete file: 53 % of the triangles']);
    await web.waitForRow('cut.stl', 'Check the file');
    // A repair does not complete the file: the next step is the download.
    await page.locator('[data-action=export]').waitFor();
    await page.getByRole('combobox', { name: 'Language' }).selectOption('de');
    await web.waitForVerdict('Datei prüfen');
    should(await reasons.allTextContents()).deepEqual(['unvollständige Datei: 53 % der Dreiecke']);
    await page.reload();
    await web.waitForRow('cut.stl', 'Datei prüfen');
  });

  it('asks for the unit of an implausible size, and reads the file in it by one click', async () => {
    const web = await bench.open();
    const { page } = web;
    await web.signIn();
    await web.choose({ name: 'meters.stl', content: CUBE.replaceAll('10', '0.07') });
    await web.waitForVerdict('Check the file');
    const question = page.locator('.unit-question');
    should(await question.locator('p').textContent()).equal('The model measures 0.07 mm. What was meant?');
    should(await question.getByRole('button').allTextContents()).deepEqual([
      ...['7 cm, if m', '1.778 mm, if inch', '2.134 cm, if ft', '0.07 mm is right'],
    ]);
    await question.getByRole('button', { name: '7 cm, if m' }).click();
    await web.waitForVerdict('Ready to print');
    should(await question.count()).equal(0);
  });

  it('takes the word of a person who confirms the size, or chooses a unit before', async () => {
    const web = await bench.open();
    const { page } = web;
    await web.signIn();
    await web.choose({ name: 'small.stl', content: CUBE.replaceAll('10', '1.5') });
    await web.waitForVerdict('Check the file');
    await page.locator('[data-key=unit-mm]').click();
    await web.waitForVerdict('Ready to print');
    await page.getByRole('combobox', { name: 'Unit of files without one' }).selectOption('mm');
    await web.choose({ name: 'chosen.stl', content: CUBE.replaceAll('10', '1.5') });
    await web.waitForRow('chosen.stl', 'Ready to print');
  });
});
