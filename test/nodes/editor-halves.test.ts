import { access, readFile } from 'node:fs/promises';
import 'should';
import should from 'should';
import { DOWNLOAD_FIELDS } from '../../nodes/download.js';
import { EXPORT_FIELDS } from '../../nodes/export.js';
import { IMPORT_FIELDS } from '../../nodes/import.js';
import { OPERATION_FIELDS } from '../../nodes/operation.js';
import { PROCESS_FIELDS } from '../../nodes/process.js';
import { REPAIR_FIELDS } from '../../nodes/repair.js';
import { CREDENTIALS, SERVICE_FIELDS } from '../../nodes/service.js';
import type { Fields } from '../../nodes/shared/node/settings.js';
import { CUSTOM_OPERATION } from '../../nodes/shared/operations/operation-parameters.js';
import { OPERATION_PARAMETERS, STEP_OPERATIONS } from '../../nodes/shared/operations.generated.js';
import { SAMPLES } from '../../nodes/shared/transfers/upload-source.js';
import { UPLOAD_FIELDS } from '../../nodes/upload.js';
import { WAIT_FIELDS } from '../../nodes/wait.js';
import { generateOperations } from '../../scripts/generate-operations.js';
import { EXPORT } from '../../src/service/operations/kinds/export.js';
import { IMPORT } from '../../src/service/operations/kinds/import.js';
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

// Status keys of every node: those of its service.
const STATUS_KEYS = ['notConfigured', 'restarting', 'locked', 'dropped'];

// Function that a runtime half calls → the status keys that the function uses.
const STATUS_KEYS_BY_FUNCTION = {
  runOperation: ['queued', 'starting', 'started', 'waiting', 'credentialsRefused', 'finished'],
  startOperation: ['queued', 'starting'],
  waitForOperation: ['waiting', 'credentialsRefused', 'finished'],
  runUpload: ['queued', 'uploading', 'completing'],
  runDownload: ['queued', 'downloading'],
};

// Fields in rows that the shared dialog script creates.
const SCRIPT_FIELDS = ['operation', 'parameters', 'ownOperation', 'ownParameters', 'ownParametersType', 'steps'];

// The headings that the core nodes use in each language.
const HEADINGS = {
  'en-US': ['Inputs', 'Outputs', 'Details', 'References'],
  de: ['Eingangsdaten', 'Ausgangsdaten', 'Details', 'Referenzen'],
};

function leafKeys(value: unknown, prefix = ''): string[] {
  return typeof value === 'object' && value !== null
    ? Object.entries(value).flatMap(([key, inner]) => leafKeys(inner, prefix ? `${prefix}.${key}` : key))
    : [prefix];
}

function sorted(list: string[]): string[] {
  return list.toSorted((a, b) => a.localeCompare(b));
}

function toValues(types: EditorHalf['typedInputs'][number]['types']) {
  return types.map((type) => (typeof type === 'string' ? type : type.value));
}

for (const [name, fields] of NODES) {
  describe(`the editor half of model ${name}`, () => {
    let half: EditorHalf;
    let catalog: string[];
    let source: string;
    let dialogs: DialogScript;

    before(async () => {
      const shared = await readDialogScript();
      if (!shared) throw new Error('The shared dialog scripts set no window.modelProcessing');
      dialogs = shared;
      half = await readEditorHalf(name);
      catalog = leafKeys(JSON.parse(await readFile(`nodes/locales/en-US/${name}.json`, 'utf8')));
      source = await readFile(`nodes/${name}.ts`, 'utf8');
    });

    const scriptKeys = (): string[] => {
      const rules = Object.values(dialogs.OPERATIONS).flatMap((operation) => Object.entries(operation));
      return [
        ...[...Object.keys(dialogs.OPERATIONS), CUSTOM_OPERATION].map((key) => `operation.operation.${key}`),
        ...rules.map(([key]) => `operation.parameter.${key}`),
        ...rules.flatMap(([, { values = [] }]) => values.map((key) => `operation.word.${key}`)),
        ...['label.operation', 'label.ownOperation', 'label.ownParameters', 'type.word'].map(
          (key) => `operation.${key}`,
        ),
      ];
    };

    it('registers the type of the runtime half', async () => {
      half.type.should.equal(`model-processing-${name}`);
      const { 'node-red': section } = JSON.parse(await readFile('package.json', 'utf8'));
      section.nodes[half.type].should.equal(`dist/nodes/${name}.js`);
    });

    it('has exactly the defaults of the runtime half', () => {
      const runtime = Object.fromEntries(Object.entries(fields).map(([field, { value }]) => [field, value]));
      const editor = Object.fromEntries(Object.entries(half.defaults).map(([field, { value }]) => [field, value]));
      editor.should.deepEqual(runtime);
    });

    it('has exactly one dialog field for each setting and credential', () => {
      const expected = [...Object.keys(half.defaults), ...Object.keys(half.credentials)].filter(
        (field) => half.operations.length === 0 || !SCRIPT_FIELDS.includes(field),
      );
      sorted(half.fields).should.deepEqual(sorted(expected));
    });

    it('offers the choices that the runtime half supports', () => {
      for (const [field, { options }] of Object.entries(fields)) {
        if (!options || (half.operations.length > 0 && SCRIPT_FIELDS.includes(field))) continue;
        const typed = half.typedInputs.find(({ typeField }) => typeField === field);
        const offered = typed ? toValues(typed.types) : half.options.get(field);
        sorted(offered ?? []).should.deepEqual(sorted(options.map(String)), field);
      }
    });

    it('lists the default type of each typed input first', () => {
      for (const { typeField, types } of half.typedInputs) toValues(types)[0]?.should.equal(fields[typeField]?.value);
    });

    it('uses exactly the keys of its catalog', () => {
      const textKeys = [...source.matchAll(/input\.text\('(\w+)'/g)].map(([, key]) => key);
      const statusKeys = Object.entries(STATUS_KEYS_BY_FUNCTION).flatMap(([functionName, keys]) =>
        source.includes(functionName) ? keys : [],
      );
      const status = name === 'service' ? [] : [...STATUS_KEYS, ...textKeys, ...statusKeys];
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

    it('has each setting in docs/nodes.md, by its label', async () => {
      const page = await readFile('docs/nodes.md', 'utf8');
      const section = page.split(/^## /m).find((part) => part.startsWith(`model ${name}\n`)) ?? '';
      const { label } = JSON.parse(await readFile(`nodes/locales/en-US/${name}.json`, 'utf8'))[name];
      const { name: _name, service: _service, to: _to, ...settings }: Record<string, string> = label;
      // The other settings of model process are described with the nodes that it combines.
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

    it('has the same catalog keys and placeholders in German as in English', async () => {
      const german = JSON.parse(await readFile(`nodes/locales/de/${name}.json`, 'utf8'));
      const english = JSON.parse(await readFile(`nodes/locales/en-US/${name}.json`, 'utf8'));
      leafKeys(german).should.deepEqual(leafKeys(english));
      const placeholders = (value: unknown) => [...JSON.stringify(value).matchAll(/__\w+?__/g)].map(String);
      placeholders(german).should.deepEqual(placeholders(english));
    });

    it('names the same properties, codes and values in German help as in English help', async () => {
      const [english, german] = await Promise.all(
        Object.keys(HEADINGS).map(async (language) => {
          const help = await readFile(`nodes/locales/${language}/${name}.html`, 'utf8');
          const terms = [...help.matchAll(/<code>([^<]+)<\/code>|<dt[^>]*>([^<]+)/g)].map(
            ([, code, property]) => code ?? property,
          );
          return sorted([...new Set(terms.map((term) => String(term).trim()))]);
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

    it('has one input, one output, an icon and a palette entry', async () => {
      should(half.inputs).equal(1);
      should(half.outputs).equal(1);
      half.category.should.equal('model processing');
      await access(`icons/${half.icon}`);
      should(half.paletteLabel).equal(`${name}.paletteLabel`);
      half.portLabels.should.deepEqual([`${name}.port.input`, `${name}.port.output`]);
    });

    it('requires a service node', () => {
      should(half.defaults.service).containEql({ type: 'model-processing-service', required: true });
    });

    it('is labeled with its name, or else with its palette label or operation', () => {
      half.label({ name: 'mine' }).should.equal('mine');
      const fallback = name === 'operation' ? 'operation.operation.scale' : `${name}.paletteLabel`;
      half.label({ name: '', operation: 'scale' }).should.equal(fallback);
    });
  });
}

describe('the operations of the dialogs', () => {
  let dialogs: DialogScript;

  before(async () => {
    const shared = await readDialogScript();
    if (!shared) throw new Error('The shared dialog scripts set no window.modelProcessing');
    dialogs = shared;
  });

  const check = (operation: string, name: string, value: string, type = 'num') =>
    dialogs.checkOperation({ operation, parameters: { [name]: { value, type } } }, {});

  it('are generated from the records of the service: `npm run generate` renews them', async () => {
    for (const [file, expected] of generateOperations()) (await readFile(file, 'utf8')).should.equal(expected, file);
  });

  it('have the parameters and proposed values of the runtime halves', () => {
    const pick = <T>(table: Readonly<Record<string, Readonly<Record<string, { readonly proposed: T }>>>>) =>
      Object.entries(table).map(([operation, parameters]) => [
        operation,
        Object.entries(parameters).map(([name, { proposed }]) => [name, proposed]),
      ]);
    pick(dialogs.OPERATIONS).should.deepEqual(pick(OPERATION_PARAMETERS));
  });

  it('propose the values of the service in the fields of model import and model export', () => {
    const { measurementUnits, accuracyMm, maxAngle } = IMPORT.parameters;
    IMPORT_FIELDS.measurementUnits.value.should.equal(measurementUnits.proposed);
    IMPORT_FIELDS.accuracyMm.value.should.equal(accuracyMm.proposed ?? '');
    IMPORT_FIELDS.maxAngle.value.should.equal(maxAngle.proposed ?? '');
    EXPORT_FIELDS.exportToFormat.value.should.equal(EXPORT.parameters.exportToFormat.proposed);
  });

  it('have valid proposed values', () => {
    for (const [operation, rules] of Object.entries(dialogs.OPERATIONS))
      for (const [name, { proposed }] of Object.entries(rules)) {
        const type = typeof proposed === 'string' ? 'str' : 'num';
        should(check(operation, name, String(proposed), type)).be.true();
      }
  });

  it('are those of the runtime halves', async () => {
    const { operations } = await readEditorHalf('operation');
    operations.should.deepEqual(OPERATION_FIELDS.operation.options);
    (await readEditorHalf('process')).operations.should.deepEqual([...STEP_OPERATIONS, CUSTOM_OPERATION]);
    (await readEditorHalf('repair')).operations.should.deepEqual(REPAIR_FIELDS.operation.options);
  });

  it('reject invalid parameters with a reason', () => {
    should(check('scale', 'scaleToSizeMm', '0')).match(/parameter.scaleToSizeMm: operation.invalid.number/);
    should(check('scale', 'scaleToSizeMm', '0.1')).be.true();
    should(check('thumbnail', 'width', '1.5')).match(/invalid.whole/);
    should(check('thumbnail', 'width', '5000')).match(/invalid.whole/);
    should(check('thumbnail', 'width', '')).match(/invalid.whole/);
    should(check('scale', 'axis', 'w', 'str')).match(/invalid.words/);
    should(check('scale', 'axis', 'X', 'str')).be.true();
  });

  it('accept parameters that are known only at run time', () => {
    should(check('scale', 'scaleToSizeMm', 'size', 'msg')).be.true();
    should(check('scale', 'scaleToSizeMm', '', 'msg')).match(/invalid.expression/);
    // biome-ignore lint/suspicious/noTemplateCurlyInString: Node-RED's syntax for environment variables
    should(check('scale', 'scaleToSizeMm', '${SIZE}')).be.true();
  });

  it('require a valid name for a custom operation', () => {
    const checkName = (ownOperation: string) =>
      dialogs.checkOperation({ operation: CUSTOM_OPERATION, ownOperation }, {});
    should(checkName('smooth-2')).be.true();
    for (const invalid of ['', 'Smooth', '../file']) should(checkName(invalid)).equal('operation.invalid.ownOperation');
  });
});

describe('the suggestions of the dialogs', () => {
  const readType = async (name: string, field: string) => {
    const { typedInputs } = await readEditorHalf(name);
    return typedInputs.find((typed) => typed.field === field)?.types.find((type) => typeof type === 'object');
  };

  it('are the units of model import', async () => {
    const type = await readType('import', 'measurementUnits');
    type
      ?.autoComplete?.('')
      .map(({ value }) => value)
      .should.deepEqual(IMPORT.parameters.measurementUnits.names);
  });

  it('are the formats of model export: those that match the input, or all if the input is a format', async () => {
    const type = await readType('export', 'exportToFormat');
    const offered = (text: string) => type?.autoComplete?.(text).map(({ value }) => value);
    should(offered('')).deepEqual(EXPORT.parameters.exportToFormat.names);
    should(offered('ob')).deepEqual(['obj']);
    should(offered('stl')).deepEqual(EXPORT.parameters.exportToFormat.names);
  });

  it('are the bundled samples, and each of these files exists', async () => {
    const type = await readType('upload', 'source');
    type?.options?.map(({ value }) => value).should.deepEqual([...SAMPLES]);
    for (const sample of SAMPLES) await access(`examples/models/${sample}`);
  });
});

describe('the label of an operation node', () => {
  it('is the operation, or the name of a custom operation', async () => {
    const { label } = await readEditorHalf('operation');
    label({ operation: 'thumbnail' }).should.equal('operation.operation.thumbnail');
    label({ operation: 'other', ownOperation: 'smooth' }).should.equal('smooth');
    label({ operation: 'other', ownOperation: '' }).should.equal('operation.paletteLabel');
    label({}).should.equal('operation.paletteLabel');
  });
});

describe('a field for seconds', () => {
  it('accepts a number, a variable or an empty value', async () => {
    const { defaults } = await readEditorHalf('upload');
    const check = (value: unknown) => defaults.completeSeconds?.validate?.call({ _: (key: string) => key }, value, {});
    // biome-ignore lint/suspicious/noTemplateCurlyInString: Node-RED's syntax for environment variables
    for (const valid of [2, '0.5', '', undefined, '${SECONDS}']) should(check(valid)).be.true();
    for (const invalid of ['0', 'soon']) should(check(invalid)).equal('upload.invalid.seconds');
  });
});

describe('the dialog of the service node', () => {
  const check = async (field: string, value: unknown, settings: Record<string, unknown>) => {
    const { defaults } = await readEditorHalf('service');
    const node = { ...settings, _: (key: string) => key };
    return defaults[field]?.validate?.call(node, value, {});
  };

  it('requires an HTTP or HTTPS address or a variable for a remote service', async () => {
    // biome-ignore lint/suspicious/noTemplateCurlyInString: Node-RED's syntax for environment variables
    const variable = '${MODEL_SERVICE}';
    for (const valid of ['https://models.example.com', 'http://127.0.0.1:8484', variable])
      should(await check('baseUrl', valid, { service: 'remote' })).be.true();
    for (const invalid of ['', 'models.example.com', 'ftp://models.example.com'])
      should(await check('baseUrl', invalid, { service: 'remote' })).equal('service.invalid.baseUrl');
    should(await check('baseUrl', '', { service: 'local' })).be.true();
  });

  it('requires a callback URL without a path, or none', async () => {
    // biome-ignore lint/suspicious/noTemplateCurlyInString: Node-RED's syntax for environment variables
    for (const valid of ['', 'https://nodes.example.com', 'http://127.0.0.1:1880/', '${PUBLIC_URL}'])
      should(await check('callbackUrl', valid, {})).be.true();
    for (const invalid of ['nodes.example.com', 'https://nodes.example.com/red', 'https://me:word@nodes.example.com'])
      should(await check('callbackUrl', invalid, {})).equal('service.invalid.callbackUrl');
  });

  it('requires numbers, and a maximum poll interval of at least the minimum', async () => {
    should(await check('concurrency', '8', {})).be.true();
    should(await check('concurrency', '0', {})).equal('service.invalid.atLeast');
    should(await check('timeout', 'an hour', {})).equal('service.invalid.atLeast');
    should(await check('pollMax', '5', { pollMin: 10 })).equal('service.invalid.atLeast');
  });
});
