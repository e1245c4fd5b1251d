import type { Locator } from 'playwright-core';
import should from 'should';
import { FIELD_VALUES } from '../helpers/field-values.js';
import type { Dialog, Editor } from './support/editor.js';
import { registerEditorBench } from './support/editor-bench.js';

const LOCAL = { id: 'local', type: 'model-processing-service', service: 'local', name: 'local' };
const REMOTE = {
  id: 'remote',
  type: 'model-processing-service',
  service: 'remote',
  name: 'remote',
  baseUrl: 'https://models.example.com',
};

// The global of the editor page, for functions that page.evaluate() runs there.
declare const RED: { nodes: { node(id: string): { steps: object[]; parameters?: { parts?: object } } } };

describe('the validation in the dialogs', () => {
  let editor: Editor;

  // Of the credentials, only the password has an environment variable.
  registerEditorBench((bench) => ({ editor } = bench), { withoutVariables: /_(CLIENT_\w+|USERNAME)$/ });

  /** Imports nodes with a service. Returns the reasons why each is invalid. */
  const validate = async (nodes: { type: string; settings: object }[], service: typeof LOCAL | typeof REMOTE) => {
    const tab = { id: 'tab', type: 'tab', label: 'validation' };
    const flow = nodes.map(({ type, settings }, index) => {
      const common = { id: `value${index}`, z: tab.id, x: 200, y: 40 + 40 * index, service: service.id, wires: [[]] };
      return { ...common, type: `model-processing-${type}`, ...settings };
    });
    await editor.addFlow([tab, service, ...flow], tab.label);
    return editor.validationErrors(flow.map(({ id }) => id));
  };

  it('accepts and refuses the values that the nodes and the local service accept and refuse', async () => {
    const reasons = await validate([...FIELD_VALUES], LOCAL);
    const wrong = FIELD_VALUES.flatMap(({ name, isValid }, index) => {
      const nodeReasons = reasons[index] ?? [];
      return isValid === nodeReasons.length > 0 ? [`${name}: ${nodeReasons.join() || 'accepted'}`] : [];
    });
    should(wrong).deepEqual([]);
  });

  it('accepts the units, formats and numbers that only a remote service knows', async () => {
    const nodes = [
      { type: 'import', settings: { measurementUnits: 'parsec', maxAngle: '0.5' } },
      { type: 'export', settings: { exportToFormat: 'step' } },
      { type: 'upload', settings: { filename: 'part.sldprt' } },
      { type: 'import', settings: { measurementUnits: '', maxAngle: 'NaN' } },
      { type: 'import', settings: { service: '' } },
    ];
    const reasons = await validate(nodes, REMOTE);
    reasons.slice(0, 3).should.deepEqual([[], [], []]);
    should(reasons[4]).match([/^Service: /]);
    should(reasons[3]).deepEqual(['Unit: no value. Enter one.', 'Max angle (°): invalid value. Enter a number.']);
  });

  const openOnly = async (type: string, settings: object): Promise<Dialog> => {
    await validate([{ type, settings }], LOCAL);
    return editor.openDialog('value0');
  };

  const typeInto = async (field: Locator, text: string) => {
    await field.fill(text);
    await field.blur();
  };

  it('marks a typed input, and its tooltip and that of the node say why', async () => {
    const id = await editor.dragFromPalette('model-processing-import', 200, 80);
    const { form, done } = await editor.openDialog(id);
    const row = form.locator('.form-row', { has: editor.page.locator('#node-input-maxAngle') });
    const container = row.locator('.red-ui-typedInput-container');
    await typeInto(container.locator('input'), '-3');
    should(await container.getAttribute('class')).match(/input-error/);
    const reason = 'Max angle (°): invalid value. Enter a number from 1 to 90.';
    (await editor.readTooltip(container)).should.equal(reason);
    await done();
    should(await editor.validationErrors([id])).deepEqual([[reason]]);
    await editor.page.locator(`[id="${id}"] .red-ui-flow-node-error`).hover();
    await editor.page.locator('.red-ui-flow-port-tooltip', { hasText: reason }).waitFor();
    const reopened = await editor.openDialog(id);
    await typeInto(container.locator('input'), '30');
    should(await container.getAttribute('class')).not.match(/input-error/);
    await reopened.done();
    should(await editor.validationErrors([id])).deepEqual([[]]);
  });

  it('marks a unit that the local service does not know', async () => {
    const { form } = await openOnly('import', {});
    const row = form.locator('.form-row', { has: editor.page.locator('#node-input-measurementUnits') });
    const container = row.locator('.red-ui-typedInput-container');
    await typeInto(container.locator('input:visible'), 'parsec');
    (await editor.readTooltip(container)).should.equal('Unit: unknown value. Enter one of: mm, cm, m, um, inch, ft.');
  });

  it('marks a parameter of a step', async () => {
    const steps = [{ operation: 'scale', parameters: { scaleToSizeMm: { value: '0', type: 'num' } } }];
    const { form } = await openOnly('process', { steps });
    const row = form.locator('.model-processing-steps .form-row', { hasText: 'New size (mm)' });
    const container = row.locator('.red-ui-typedInput-container');
    should(await container.getAttribute('class')).match(/input-error/);
    const reason = 'New size (mm): invalid value. Enter a number greater than 0 and at most 1000000.';
    (await editor.readTooltip(container)).should.equal(reason);
    should(await editor.validationErrors(['value0'])).deepEqual([[`Step 1: ${reason}`]]);
  });

  it('marks a step whose operation it does not offer, and keeps it until the user selects another one', async () => {
    const steps = [{ operation: 'preview', parameters: { triangles: { value: '5000', type: 'num' } } }];
    const readSteps = () => editor.page.evaluate(() => RED.nodes.node('value0').steps);
    const { form, done } = await openOnly('process', { steps });
    const select = form.locator('.model-processing-steps select');
    (await select.inputValue()).should.equal('preview');
    should(await select.getAttribute('class')).match(/input-error/);
    should(await editor.readTooltip(select)).match(
      /^Operation: unknown value\. Enter one of: repair, analyze, .*other…\.$/,
    );
    await done();
    should(await readSteps()).match(steps);
    should((await editor.validationErrors(['value0']))[0]?.join()).match(/Step 1: Operation: unknown value/);
    const reopened = await editor.openDialog('value0');
    await select.selectOption('analyze');
    should(await select.getAttribute('class')).not.match(/input-error/);
    await reopened.done();
    should(await readSteps()).match([{ operation: 'analyze', parameters: {} }]);
    should((await editor.validationErrors(['value0']))[0]?.join()).not.match(/Step/);
  });

  it('shows the repair that a process node runs without saved steps, and keeps it', async () => {
    const { form, done } = await openOnly('process', {});
    (await form.locator('.model-processing-steps select').inputValue()).should.equal('repair');
    await done();
    const steps = await editor.page.evaluate(() => RED.nodes.node('value0').steps);
    should(steps).match([{ operation: 'repair', parameters: {} }]);
  });

  it('keeps the parts of a model in a new node, and unites them in one that an older version saved', async () => {
    const kept = { parts: { value: 'keep', type: 'str' } };
    const readParts = (id: string) =>
      editor.page.evaluate((nodeId) => {
        const node = RED.nodes.node(nodeId);
        return (node.parameters ?? Object(node.steps?.[0]).parameters).parts;
      }, id);
    for (const type of ['repair', 'process']) {
      const id = await editor.dragFromPalette(`model-processing-${type}`, 200, 80);
      should(await readParts(id)).deepEqual(kept.parts);
      await (await editor.openDialog(id)).done();
      should(await readParts(id)).deepEqual(kept.parts);
    }
    const saved = [
      { type: 'repair', settings: { operation: 'repair', parameters: {} } },
      { type: 'process', settings: { steps: [{ operation: 'repair', parameters: {} }] } },
    ];
    await validate(saved, LOCAL);
    for (const index of saved.keys()) {
      const { form, done } = await editor.openDialog(`value${index}`);
      should(await form.locator('.red-ui-typedInput-container', { hasText: 'unite' }).count()).equal(1);
      await done();
      should(await readParts(`value${index}`)).deepEqual({ value: 'unite', type: 'str' });
    }
  });

  it('marks the missing fields of a remote service without a variable; the connection test shows its result', async () => {
    await openOnly('upload', {});
    const { form } = await editor.openService();
    await form.locator('#node-config-input-service').selectOption('remote');
    const invalid = await form.locator('input.input-error').evaluateAll((inputs) => inputs.map(({ id }) => id));
    invalid.should.deepEqual(
      ['baseUrl', 'clientId', 'clientSecret', 'username'].map((field) => `node-config-input-${field}`),
    );
    (await editor.readTooltip(form.locator('#node-config-input-username'))).should.equal(
      'Username: no value. Enter one, or set the environment variable MODEL_PROCESSING_USERNAME.',
    );
    const result = form.locator('#model-processing-service-test-result');
    await form.locator('#model-processing-service-test').click();
    await form.locator('[data-state="failed"] .fa-exclamation-triangle').waitFor();
    (await result.innerText()).should.containEql('NOT_CONFIGURED');
    await form.locator('#node-config-input-service').selectOption('local');
    await form.locator('#model-processing-service-test').click();
    await form.locator('[data-state="passed"] .fa-check-circle').waitFor();
    (await result.innerText()).should.containEql('is running');
    (await form.locator('input.input-error').count()).should.equal(0);
  });
});
