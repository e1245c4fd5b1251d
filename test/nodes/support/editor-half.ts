import { readFile } from 'node:fs/promises';
import vm from 'node:vm';

/** A typed input that a dialog creates: the field, the field of its type, and the types it offers. */
export interface TypedInput {
  field: string;
  typeField: string;
  types: (
    | string
    | { value: string; options?: { value: string }[]; autoComplete?: (text: string) => { value: string }[] }
  )[];
}

/** An entry of the `defaults` of an editor half. */
export interface FieldDefault {
  value: unknown;
  type?: string;
  required?: boolean;
  validate?: (this: object, value: unknown, opt?: object) => unknown;
}

/** The definition of a node type in the editor, read from its `.html` file. */
export interface EditorHalf {
  type: string;
  category: string;
  color?: string;
  icon?: string;
  inputs?: number;
  outputs?: number;
  defaults: Record<string, FieldDefault>;
  credentials: Record<string, FieldDefault>;
  paletteLabel?: string;
  label: (settings: Record<string, unknown>) => string;
  portLabels: string[];
  typedInputs: TypedInput[];
  /** Ids of the fields in the dialog, without `node-input-`. */
  fields: string[];
  /** field → the values of its `select` */
  options: Map<string, string[]>;
  /** The catalog keys that the dialog or its script uses. */
  keys: Set<string>;
  /** The operations that the dialog offers. */
  operations: string[];
}

/** The functions and tables that the shared dialog scripts put into `window.modelProcessing`. */
export interface DialogScript {
  OPERATIONS: Record<string, Record<string, OperationRule>>;
  UNITS: string[];
  FORMATS: string[];
  checkOperation: (step: object, isForLocal: boolean, operations: readonly string[]) => string | undefined;
  editOperation: (container: unknown, step: unknown, operations: string[]) => unknown;
  editSteps: (list: unknown, steps: unknown, operations: string[]) => unknown;
}

/** The proposed value of a parameter, and its accepted values or bounds. */
export interface OperationRule {
  proposed: string | number;
  values?: string[];
  isInteger?: boolean;
  exclusiveMin?: number;
  min?: number;
  max?: number;
}

const DIALOG_SCRIPTS = [
  'operations.generated.js',
  'field-rules.generated.js',
  'dialog-fields.js',
  'dialog-validation.js',
  'dialog-operations.js',
];

/** The nodes of the editor by id. */
export type EditorNodes = Readonly<Record<string, object>>;

/** Evaluates shared dialog scripts, all by default. Texts are replaced by their catalog keys. */
export async function readDialogScript(
  names: readonly string[] = DIALOG_SCRIPTS,
  typedInputs: TypedInput[] = [],
  nodes: EditorNodes = {},
): Promise<DialogScript | undefined> {
  const window: { modelProcessing?: DialogScript } = {};
  const RED = {
    _: (key: string) => key.replace(/^.*:/, ''),
    events: { on: () => undefined },
    nodes: { eachConfig: () => undefined, node: (id: string) => nodes[id] ?? null },
    editor: { getEditStack: () => [] },
    popover: { tooltip: () => undefined },
    utils: { validateTypedProperty: (value: string) => value !== '' },
  };
  const jQuery = Object.assign(fakeQuery(typedInputs), { ajaxPrefilter: () => undefined });
  for (const name of names) {
    const script = await readFile(`resources/${name}`, 'utf8');
    vm.compileFunction(script, ['window', 'RED', '$'])(window, RED, jQuery);
  }
  return window.modelProcessing;
}

const DIALOG_SCRIPT = /<script src="resources\/@model-processing\/node-red\/([^"]+)"><\/script>/g;
const KEY = /data-i18n="(?:\[\w+\])?([^"]+)"/g;

/** Evaluates an editor half with fakes of `RED` and jQuery, and opens its dialog once. */
export async function readEditorHalf(name: string, nodes: EditorNodes = {}): Promise<EditorHalf> {
  const html = await readFile(`nodes/${name}.html`, 'utf8');
  const script = /<script type="text\/javascript">([\s\S]*?)<\/script>/.exec(html)?.[1] ?? '';
  const template = /<script type="text\/html" data-template-name="([^"]+)">([\s\S]*?)<\/script>/.exec(html);
  const dialog = template?.[2] ?? '';
  const keys = new Set([...dialog.matchAll(KEY)].map(([, key]) => key ?? ''));
  const typedInputs: TypedInput[] = [];
  let registered: [string, Record<string, unknown>] | undefined;
  const RED = {
    nodes: {
      registerType: (type: string, definition: Record<string, unknown>) => {
        registered = [type, definition];
      },
    },
    settings: {},
  };
  const operations: string[] = [];
  const recordOperations = (_container: unknown, _saved: unknown, offered: string[]) => operations.push(...offered);
  // Only the scripts that the page includes, so that a missing include fails the test.
  const included = [...html.matchAll(DIALOG_SCRIPT)].map(([, file]) => file ?? '');
  const shared = await readDialogScript(included, typedInputs, nodes);
  const modelProcessing = {
    ...shared,
    ...(shared?.editOperation && {
      editOperation: recordOperations,
      editSteps: recordOperations,
    }),
  };
  vm.compileFunction(script, ['RED', '$', 'modelProcessing'])(RED, fakeQuery(typedInputs), modelProcessing);
  if (!registered || registered[0] !== template?.[1]) throw new Error(`${name}.html registers no type of its template`);
  const [type, definition] = registered;
  // The cast is unchecked: the definition comes from an untyped script, and the tests check what is read from it.
  const fields = definition as unknown as Record<string, (this: object, index?: number) => string> &
    Partial<EditorHalf>;
  const translating = (settings: object) => ({
    ...settings,
    _: (key: string) => {
      keys.add(key);
      return key;
    },
  });
  Reflect.apply((definition.oneditprepare ?? (() => undefined)) as () => void, translating({}), []);
  // A node can have more outputs than its initial settings have.
  if (typeof definition.outputLabels === 'function') {
    Reflect.apply(definition.outputLabels, translating({}), [1]);
    Reflect.apply(definition.outputLabels, translating({ send: 'finished' }), [0]);
  }
  const text = (value: unknown) => (typeof value === 'function' ? Reflect.apply(value, translating({}), [0]) : value);
  return {
    type,
    category: fields.category ?? '',
    ...(fields.color === undefined ? {} : { color: fields.color }),
    ...(fields.icon === undefined ? {} : { icon: fields.icon }),
    ...(fields.inputs === undefined ? {} : { inputs: fields.inputs }),
    ...(fields.outputs === undefined ? {} : { outputs: fields.outputs }),
    defaults: fields.defaults ?? {},
    credentials: fields.credentials ?? {},
    paletteLabel: text(definition.paletteLabel),
    label: (settings) => Reflect.apply(definition.label as () => string, translating(settings), []),
    portLabels: [text(definition.inputLabels), text(definition.outputLabels)],
    typedInputs,
    fields: [...dialog.matchAll(/id="node-(?:config-)?input-([^"]+)"/g)].map(([, field]) => field ?? ''),
    options: readSelects(dialog),
    keys,
    operations,
  };
}

/** Returns names in alphabetical order. */
export function sorted(list: string[]): string[] {
  return list.toSorted((a, b) => a.localeCompare(b));
}

function readSelects(dialog: string): Map<string, string[]> {
  return new Map(
    [...dialog.matchAll(/<select id="node-(?:config-)?input-([^"]+)"[^>]*>([\s\S]*?)<\/select>/g)].map(
      ([, field, inner]) => [
        field ?? '',
        [...(inner ?? '').matchAll(/value="([^"]*)"/g)].map(([, value]) => value ?? ''),
      ],
    ),
  );
}

// Fakes the parts of jQuery that the dialog scripts use. Records typed inputs and ignores all other calls.
function fakeQuery(typedInputs: TypedInput[]) {
  return (selector: unknown) => {
    const query = {
      length: 0,
      on: () => query,
      trigger: () => query,
      toggle: () => query,
      val: () => '',
      prop: () => false,
      data: () => undefined,
      next: () => query,
      typedInput: ({ types, typeField }: { types: TypedInput['types']; typeField: string }) => {
        const plain = (id: string) => id.replace('#node-input-', '');
        typedInputs.push({ field: plain(String(selector)), typeField: plain(typeField), types });
        return query;
      },
    };
    return query;
  };
}
