import { access, readFile } from 'node:fs/promises';
import 'should';
import should from 'should';
import { DOWNLOAD_FIELDS } from '../../nodes/download.js';
import { EXPORT_FIELDS, FORMATS } from '../../nodes/export.js';
import { IMPORT_FIELDS, UNITS } from '../../nodes/import.js';
import { OPERATION_FIELDS } from '../../nodes/operation.js';
import { PROCESS_FIELDS } from '../../nodes/process.js';
import { REPAIR_FIELDS } from '../../nodes/repair.js';
import { CREDENTIALS, SERVICE_FIELDS } from '../../nodes/service.js';
import type { Fields } from '../../nodes/shared/node/settings.js';
import { CUSTOM_OPERATION, OPERATION_PARAMETERS } from '../../nodes/shared/operations/operation-parameters.js';
import { STEP_OPERATIONS } from '../../nodes/shared/operations/process-steps.js';
import { SAMPLES } from '../../nodes/shared/transfers/samples.js';
import { UPLOAD_FIELDS } from '../../nodes/upload.js';
import { WAIT_FIELDS } from '../../nodes/wait.js';
import { EXTENDED_PARAMETERS, type Parameter } from '../../src/service/operations/parameters.js';
import { type DialogScript, type EditorHalf, readDialogScript, readEditorHalf } from './support/editor-half.js';

const NODES: [string, Fields][] = [
  ['service', SERVICE_FIELDS],
  ['upload', UPLOAD_FIELDS],
  ['import', IMPORT_FIELDS],
  ['repair', REPAIR_FIELDS],
  ['export', EXPORT_FIELDS],
  ['wait', WAIT_FIELDS],
  ['download', DOWNLOAD_FIELDS],
  ['operation', OPERATION_FIELDS],
  ['process', PROCESS_FIELDS],
];

// What a config node's editor asks for by itself.
const STATUS_KEYS = ['notConfigured', 'restarting', 'locked', 'dropped'];

// What the parts ask for that a runtime half is made of.
const STATUS_KEYS_OF = {
  runOperation: ['queued', 'starting', 'started', 'waiting', 'credentialsRefused', 'finished'],
  startOperation: ['queued', 'starting'],
  waitForOperation: ['waiting', 'credentialsRefused', 'finished'],
  uploadModel: ['queued', 'uploading', 'completing'],
  downloadModel: ['queued', 'downloading'],
};

// Chosen in rows that the script of the dialogs makes.
const FIELDS_OF_SCRIPT = ['operation', 'parameters', 'ownOperation', 'ownParameters', 'ownParametersType', 'steps'];

// As the core nodes have them in each language.
const HEADINGS = {
  'en-US': ['Inputs', 'Outputs', 'Details', 'References'],
  de: ['Eingangsdaten', 'Ausgangsdaten', 'Details', 'Referenzen'],
};

function plainKeys(value: unknown, prefix = ''): string[] {
  return typeof value === 'object' && value !== null
    ? Object.entries(value).flatMap(([key, inner]) => plainKeys(inner, prefix ? `${prefix}.${key}` : key))
    : [prefix];
}

function sorted(list: string[]): string[] {
  return list.toSorted((a, b) => a.localeCompare(b));
}

function valuesOf(types: EditorHalf['typedInputs'][number]['types']) {
  return types.map((type) => (typeof type === 'string' ? type : type.value));
}

for (const [name, fields] of NODES) {
  describe(`the editor half of ${name}`, () => {
    let half: EditorHalf;
    let catalog: string[];
    let source: string;
    let dialogs: DialogScript;

    before(async () => {
      const shared = await readDialogScript();
      if (!shared) throw new Error('the scripts that the dialogs share give nothing');
      dialogs = shared;
      half = await readEditorHalf(name);
      catalog = plainKeys(JSON.parse(await readFile(`nodes/locales/en-US/${name}.json`, 'utf8')));
      source = await readFile(`nodes/${name}.ts`, 'utf8');
    });

    const scriptKeys = (): string[] => {
      const rules = Object.values(dialogs.OPERATIONS).flatMap((operation) => Object.entries(operation));
      return [
        ...[...Object.keys(dialogs.OPERATIONS), CUSTOM_OPERATION].map((key) => `operation.operation.${key}`),
        ...rules.map(([key]) => `operation.parameter.${key}`),
        ...rules.flatMap(([, { words = [] }]) => words.map((key) => `operation.word.${key}`)),
        ...['label.operation', 'label.ownOperation', 'label.ownParameters', 'type.word'].map(
          (key) => `operation.${key}`,
        ),
      ];
    };

    it('has the type of the runtime half', async () => {
      half.type.should.equal(`model-processing-${name}`);
      const { 'node-red': section } = JSON.parse(await readFile('package.json', 'utf8'));
      section.nodes[half.type].should.equal(`dist/nodes/${name}.js`);
    });

    it('has the defaults of the runtime half, and no others', () => {
      const runtime = Object.fromEntries(Object.entries(fields).map(([field, { value }]) => [field, value]));
      const editor = Object.fromEntries(Object.entries(half.defaults).map(([field, { value }]) => [field, value]));
      editor.should.deepEqual(runtime);
    });

    it('has a field in the dialog for each setting and credential, and no others', () => {
      const known = [...Object.keys(half.defaults), ...Object.keys(half.credentials)].filter(
        (field) => half.operations.length === 0 || !FIELDS_OF_SCRIPT.includes(field),
      );
      sorted(half.fields).should.deepEqual(sorted(known));
    });

    it('offers the choices that the runtime half knows', () => {
      for (const [field, { options }] of Object.entries(fields)) {
        if (!options || (half.operations.length > 0 && FIELDS_OF_SCRIPT.includes(field))) continue;
        const typed = half.typedInputs.find(({ typeField }) => typeField === field);
        const offered = typed ? valuesOf(typed.types) : half.options.get(field);
        sorted(offered ?? []).should.deepEqual(sorted(options.map(String)), field);
      }
    });

    it('begins each typed input with the type that is its default', () => {
      for (const { typeField, types } of half.typedInputs) valuesOf(types)[0]?.should.equal(fields[typeField]?.value);
    });

    it('uses keys that its catalogue has, and the catalogue has no others', () => {
      const spoken = [...source.matchAll(/input\.text\('(\w+)'/g)].map(([, key]) => key);
      const called = Object.entries(STATUS_KEYS_OF).flatMap(([run, keys]) => (source.includes(run) ? keys : []));
      const status = name === 'service' ? [] : [...STATUS_KEYS, ...spoken, ...called];
      const requested = [
        ...status.map((key) => `${name}.status.${key}`),
        ...(name === 'operation' ? scriptKeys() : []),
      ];
      const palette = name === 'service' ? [] : ['palette.label.model_processing'];
      const invalid = catalog.filter((key) => key.startsWith(`${name}.invalid.`));
      const used = new Set([...half.keys, ...requested, ...palette, ...invalid]);
      if (name === 'service') used.add('service.service.local');
      sorted(catalog).should.deepEqual(sorted([...used]));
    });

    it('is described with each of its settings, by its label', async () => {
      const page = await readFile('docs/nodes.md', 'utf8');
      const section = page.split(/^## /m).find((part) => part.startsWith(`model ${name}\n`)) ?? '';
      const { label } = JSON.parse(await readFile(`nodes/locales/en-US/${name}.json`, 'utf8'))[name];
      const { name: _name, service: _service, to: _to, ...settings }: Record<string, string> = label;
      // Its other settings are those of other nodes, where they stand.
      const described = name === 'process' ? [settings.steps] : Object.values(settings);
      for (const text of described) section.should.containEql(text);
    });

    for (const [language, headings] of Object.entries(HEADINGS))
      it(`has help in ${language} in the order summary, Inputs, Outputs, Details, References`, async () => {
        const help = await readFile(`nodes/locales/${language}/${name}.html`, 'utf8');
        help.should.startWith(`<script type="text/html" data-help-name="model-processing-${name}">\n  <p>`);
        const sections = [...help.matchAll(/<h3>(\w+)<\/h3>/g)].map(([, section]) => section);
        sections.should.deepEqual(name === 'service' ? headings.slice(2) : headings);
      });

    it('says in German what it says in English: all keys, with the same values in them', async () => {
      const german = JSON.parse(await readFile(`nodes/locales/de/${name}.json`, 'utf8'));
      const english = JSON.parse(await readFile(`nodes/locales/en-US/${name}.json`, 'utf8'));
      plainKeys(german).should.deepEqual(plainKeys(english));
      const places = (value: unknown) => [...JSON.stringify(value).matchAll(/__\w+?__/g)].map(String);
      places(german).should.deepEqual(places(english));
    });

    it('says in German help of the same fields, codes and values what the English one says', async () => {
      const [english, german] = await Promise.all(
        Object.keys(HEADINGS).map(async (language) => {
          const help = await readFile(`nodes/locales/${language}/${name}.html`, 'utf8');
          const codes = [...help.matchAll(/<code>([^<]+)<\/code>|<dt[^>]*>([^<]+)/g)].map(
            ([, code, term]) => code ?? term,
          );
          return sorted([...new Set(codes.map((code) => String(code).trim()))]);
        }),
      );
      should(german).deepEqual(english);
    });

    if (name === 'service') {
      it('has the credentials of the runtime half', () => {
        half.credentials.should.deepEqual(CREDENTIALS);
        half.category.should.equal('config');
      });
      return;
    }

    it('has one input, one output, an icon and a place in the palette', async () => {
      should(half.inputs).equal(1);
      should(half.outputs).equal(1);
      half.category.should.equal('model processing');
      await access(`icons/${half.icon}`);
      should(half.paletteLabel).equal(`${name}.paletteLabel`);
      half.portLabels.should.deepEqual([`${name}.port.input`, `${name}.port.output`]);
    });

    it('asks for a service node', () => {
      should(half.defaults.service).containEql({ type: 'model-processing-service', required: true });
    });

    it('shows its name where it has one', () => {
      half.label({ name: 'mine' }).should.equal('mine');
      const own = name === 'operation' ? 'operation.operation.scale' : `${name}.paletteLabel`;
      half.label({ name: '', operation: 'scale' }).should.equal(own);
    });
  });
}

describe('the operations that dialogs offer', () => {
  let dialogs: DialogScript;

  before(async () => {
    const shared = await readDialogScript();
    if (!shared) throw new Error('the scripts that the dialogs share give nothing');
    dialogs = shared;
  });

  const check = (operation: string, name: string, value: string, type = 'num') =>
    dialogs.checkOperation({ operation, parameters: { [name]: { value, type } } }, {});

  it('have the parameters and the defaults that the runtime halves know', () => {
    const presets = Object.entries(dialogs.OPERATIONS).map(([operation, rules]) => [
      operation,
      Object.fromEntries(Object.entries(rules).map(([name, { preset }]) => [name, preset])),
    ]);
    Object.fromEntries(presets).should.deepEqual(OPERATION_PARAMETERS);
  });

  /** Bounds of the dialogs → those of the service. */
  const BOUND_NAMES: Record<string, string> = { above: 'exclusiveMin', least: 'min', most: 'max' };

  it('have the bounds that the local service has', () => {
    for (const [operation, parameters] of Object.entries(EXTENDED_PARAMETERS))
      for (const [name, parameter] of Object.entries<Parameter>(parameters)) {
        const { preset: _preset, ...rule } = dialogs.OPERATIONS[operation]?.[name] ?? { preset: '' };
        const { default: _default, isOptional: _isOptional, ...bounds } = parameter;
        const { words, isWhole = false, ...limits } = rule;
        const named = Object.entries(limits).map(([limit, value]) => [BOUND_NAMES[limit] ?? limit, value]);
        const known = words ? { values: sorted(words) } : { isInteger: isWhole, ...Object.fromEntries(named) };
        known.should.deepEqual('values' in bounds ? { values: sorted([...bounds.values]) } : bounds, name);
      }
  });

  it('have defaults that they may have', () => {
    for (const [operation, rules] of Object.entries(dialogs.OPERATIONS))
      for (const [name, { preset }] of Object.entries(rules))
        should(check(operation, name, String(preset), typeof preset === 'string' ? 'str' : 'num')).be.true();
  });

  it('are those that the runtime halves know', async () => {
    const { operations } = await readEditorHalf('operation');
    operations.should.deepEqual(OPERATION_FIELDS.operation.options);
    (await readEditorHalf('process')).operations.should.deepEqual(STEP_OPERATIONS);
    (await readEditorHalf('repair')).operations.should.deepEqual(REPAIR_FIELDS.operation.options);
  });

  it('tell what a parameter may be, where it is something else', () => {
    should(check('scale', 'scaleToSizeMm', '0')).match(/parameter.scaleToSizeMm: operation.invalid.number/);
    should(check('scale', 'scaleToSizeMm', '0.1')).be.true();
    should(check('thumbnail', 'width', '1.5')).match(/invalid.whole/);
    should(check('thumbnail', 'width', '5000')).match(/invalid.whole/);
    should(check('thumbnail', 'width', '')).match(/invalid.whole/);
    should(check('scale', 'axis', 'w', 'str')).match(/invalid.words/);
    should(check('scale', 'axis', 'X', 'str')).be.true();
  });

  it('leave a parameter that comes with the message to the message', () => {
    should(check('scale', 'scaleToSizeMm', 'size', 'msg')).be.true();
    should(check('scale', 'scaleToSizeMm', '', 'msg')).match(/invalid.expression/);
    // biome-ignore lint/suspicious/noTemplateCurlyInString: Node-RED's own form of a variable
    should(check('scale', 'scaleToSizeMm', '${SIZE}')).be.true();
  });

  it('want a name that can be one for an operation of the own', () => {
    const named = (ownOperation: string) => dialogs.checkOperation({ operation: CUSTOM_OPERATION, ownOperation }, {});
    should(named('smooth-2')).be.true();
    for (const bad of ['', 'Smooth', '../file']) should(named(bad)).equal('operation.invalid.ownOperation');
  });
});

describe('the lists that dialogs offer', () => {
  const known = async (name: string, field: string) => {
    const { typedInputs } = await readEditorHalf(name);
    return typedInputs.find((typed) => typed.field === field)?.types.find((type) => typeof type === 'object');
  };

  it('are the units of the import', async () => {
    const type = await known('import', 'measurementUnits');
    type
      ?.autoComplete?.('')
      .map(({ value }) => value)
      .should.deepEqual([...UNITS]);
  });

  it('are the formats of the export, those that match first typed letters, all when one of them stands there', async () => {
    const type = await known('export', 'exportToFormat');
    const offered = (text: string) => type?.autoComplete?.(text).map(({ value }) => value);
    should(offered('')).deepEqual([...FORMATS]);
    should(offered('ob')).deepEqual(['obj']);
    should(offered('stl')).deepEqual([...FORMATS]);
  });

  it('are the bundled samples, all of which are there', async () => {
    const type = await known('upload', 'source');
    type?.options?.map(({ value }) => value).should.deepEqual([...SAMPLES]);
    for (const sample of SAMPLES) await access(`examples/models/${sample}`);
  });
});

describe('the label of an operation node', () => {
  it('is its operation, or the name of one of the own, so that a flow can be read', async () => {
    const { label } = await readEditorHalf('operation');
    label({ operation: 'thumbnail' }).should.equal('operation.operation.thumbnail');
    label({ operation: 'other', ownOperation: 'smooth' }).should.equal('smooth');
    label({ operation: 'other', ownOperation: '' }).should.equal('operation.paletteLabel');
    label({}).should.equal('operation.paletteLabel');
  });
});

describe('a field of seconds', () => {
  it('holds a number, a variable, or nothing: then the default counts', async () => {
    const { defaults } = await readEditorHalf('upload');
    const check = (value: unknown) => defaults.completeSeconds?.validate?.call({ _: (key: string) => key }, value, {});
    // biome-ignore lint/suspicious/noTemplateCurlyInString: Node-RED's own form of a variable
    for (const good of [2, '0.5', '', undefined, '${SECONDS}']) should(check(good)).be.true();
    for (const bad of ['0', 'soon']) should(check(bad)).equal('upload.invalid.seconds');
  });
});

describe('the dialog of the service node', () => {
  const check = async (field: string, value: unknown, settings: Record<string, unknown>) => {
    const { defaults } = await readEditorHalf('service');
    const node = { ...settings, _: (key: string) => key };
    return defaults[field]?.validate?.call(node, value, {});
  };

  it('wants an http or https address of a remote service, or a variable that holds one', async () => {
    // biome-ignore lint/suspicious/noTemplateCurlyInString: Node-RED's own form of a variable
    const variable = '${MODEL_SERVICE}';
    for (const good of ['https://models.example.com', 'http://127.0.0.1:8484', variable])
      should(await check('baseUrl', good, { service: 'remote' })).be.true();
    for (const bad of ['', 'models.example.com', 'ftp://models.example.com'])
      should(await check('baseUrl', bad, { service: 'remote' })).equal('service.invalid.baseUrl');
    should(await check('baseUrl', '', { service: 'local' })).be.true();
  });

  it('wants the address of this Node-RED for callbacks to have no path, or none at all', async () => {
    // biome-ignore lint/suspicious/noTemplateCurlyInString: Node-RED's own form of a variable
    for (const good of ['', 'https://nodes.example.com', 'http://127.0.0.1:1880/', '${PUBLIC_URL}'])
      should(await check('callbackUrl', good, {})).be.true();
    for (const bad of ['nodes.example.com', 'https://nodes.example.com/red', 'https://me:word@nodes.example.com'])
      should(await check('callbackUrl', bad, {})).equal('service.invalid.callbackUrl');
  });

  it('wants numbers, and a longest pause that is not below the shortest', async () => {
    should(await check('concurrency', '8', {})).be.true();
    should(await check('concurrency', '0', {})).equal('service.invalid.atLeast');
    should(await check('timeout', 'an hour', {})).equal('service.invalid.atLeast');
    should(await check('pollMax', '5', { pollMin: 10 })).equal('service.invalid.atLeast');
  });
});
