import { createElement, createField, createSelect } from '../dom.js';
import type { Parameters } from '../models/actions.js';
import type { FieldRule, OperationTable } from '../requests/replies.js';
import { describeError } from '../requests/requests.js';
import { operationName, texts } from '../texts/current.js';

/** Starts an operation on the version that is shown. Throws `RequestError`. */
export type StartAction = (operation: string, parameters: Parameters) => Promise<void>;

type ActionName = 'repair' | 'download' | 'scale' | 'reduce' | 'hollow';

/** What a person can do with a model, and the operations that do it. */
const ACTIONS: readonly (readonly [ActionName, operations: readonly string[]])[] = [
  ['repair', ['repair', 'geometrical-repair', 'shrinkwrap-repair']],
  ['download', ['export']],
  ['scale', ['scale']],
  ['reduce', ['reduce-triangles']],
  ['hollow', ['hollowing']],
];

/** Creates the control of a parameter from its rule. */
function createControl(name: string, rule: FieldRule, proposed: string | number | undefined) {
  const { values, isInteger, exclusiveMin, min, max } = rule;
  if (values) {
    const choices = values.map((value) => [value, texts().values[value] ?? value.toUpperCase()] as const);
    const select = createSelect(choices, String(proposed ?? values[0] ?? ''));
    select.name = name;
    return select;
  }
  const smallest = min ?? (exclusiveMin === undefined ? undefined : exclusiveMin + 0.001);
  const attributes = {
    name,
    type: 'number',
    required: true,
    value: proposed,
    min: smallest,
    max,
    step: isInteger ? 1 : 'any',
  };
  return createElement('input', { attributes: { ...attributes, inputmode: isInteger ? 'numeric' : 'decimal' } });
}

/** Reads the parameters of a form. */
function readParameters(form: HTMLFormElement, rules: Readonly<Record<string, FieldRule>>): Parameters {
  const data = new FormData(form);
  const entries = Object.entries(rules).map(([name, { values }]) => {
    const text = String(data.get(name) ?? '');
    return [name, values ? text : Number(text)] as const;
  });
  return Object.fromEntries(entries);
}

/** Creates the form of an operation. `proposals`: values that differ from those of the table. */
function createForm(
  operations: readonly string[],
  { operations: table }: OperationTable,
  proposals: Readonly<Record<string, string | number>>,
  start: StartAction,
): HTMLFormElement {
  const { actions, hints, fields } = texts();
  let operation = operations[0] ?? '';
  const controls = createElement('div', { className: 'controls' });
  const hint = createElement('p', { className: 'muted' });
  const problem = createElement('p', { className: 'problem', attributes: { role: 'alert' } });
  const isExport = operation === 'export';
  const label = isExport ? actions.downloadAs : actions.start;
  const submit = createElement(
    'button',
    { className: 'primary', attributes: { type: 'submit', 'data-action': operation } },
    label,
  );

  const showOperation = (chosen: string): void => {
    operation = chosen;
    hint.textContent = hints[chosen] ?? '';
    const entries = Object.entries(table[chosen] ?? {});
    const all = entries.map(([name, rule]) => {
      const control = createControl(name, rule, proposals[name] ?? rule.proposed);
      return createField(name === 'exportToFormat' ? actions.format : (fields[name] ?? name), control);
    });
    controls.replaceChildren(...all);
  };
  const send = async (): Promise<void> => {
    submit.disabled = true;
    problem.textContent = '';
    try {
      await start(operation, readParameters(form, table[operation] ?? {}));
    } catch (error) {
      problem.textContent = describeError(error);
    } finally {
      submit.disabled = false;
    }
  };
  const methods = operations.map((name) => [name, operationName(name)] as const);
  const method = operations.length > 1 && createField(actions.method, createSelect(methods, operation, showOperation));
  const form = createElement('form', { className: 'action' }, method, hint, controls, problem, submit);
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void send();
  });
  showOperation(operation);
  return form;
}

/**
 * Creates the choice of what to do next, with the form of the chosen action. `proposals`: the initial values of
 * parameters, where they depend on the model.
 */
export function createActionPanel(
  table: OperationTable,
  first: 'repair' | 'download',
  proposals: Readonly<Record<string, string | number>>,
  start: StartAction,
): HTMLElement {
  const { actions, detail } = texts();
  const body = createElement('div', {});
  const showAction = (operations: readonly string[]): void => {
    body.replaceChildren(createForm(operations, table, proposals, start));
  };
  const choices = ACTIONS.map(([name, operations]) => {
    const attributes = { type: 'radio', name: 'action', value: name, checked: name === first };
    const input = createElement('input', { attributes, on: { change: () => showAction(operations) } });
    if (name === first) showAction(operations);
    return createElement('label', {}, input, createElement('span', {}, actions[name]));
  });
  const legend = createElement('legend', {}, detail.actions);
  const tabs = createElement('fieldset', { className: 'tabs' }, legend, createElement('div', {}, ...choices));
  return createElement('section', { className: 'panel' }, tabs, body);
}
