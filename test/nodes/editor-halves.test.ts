import { access, readFile } from 'node:fs/promises';
import 'should';
import should from 'should';
import { DOWNLOAD_FIELDS } from '../../nodes/download.js';
import { EXPORT_FIELDS } from '../../nodes/export.js';
import { IMPORT_FIELDS } from '../../nodes/import.js';
import { OPERATION_FIELDS } from '../../nodes/operation.js';
import { PREVIEW_FIELDS } from '../../nodes/preview.js';
import { PROCESS_FIELDS } from '../../nodes/process.js';
import { REPAIR_FIELDS } from '../../nodes/repair.js';
import { CREDENTIALS, SERVICE_FIELDS } from '../../nodes/service.js';
import type { Fields } from '../../nodes/shared/node/settings.js';
import { CUSTOM_OPERATION } from '../../nodes/shared/operations/operation-parameters.js';
import { UPLOAD_FIELDS } from '../../nodes/upload.js';
import { WAIT_FIELDS } from '../../nodes/wait.js';
import { type DialogScript, type EditorHalf, readDialogScript, readEditorHalf, sorted } from './support/editor-half.js';

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
  ['preview', PREVIEW_FIELDS],
];

// Status keys of every node: those of its service.
const STATUS_KEYS = ['notConfigured', 'restarting', 'locked', 'dropped'];

// Function that a runtime half calls → the status keys that the function uses.
const STATUS_KEYS_BY_FUNCTION = {
  findCancelled: ['cancelled'],
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
      // Keys that are composed of a prefix and a name.
      const invalid = catalog.filter((key) => /^\w+\.(invalid|failure|verdict|warning)\./.test(key));
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
        const types = Object.entries(half.credentials).map(([credential, { type }]) => [credential, { type }]);
        Object.fromEntries(types).should.deepEqual(CREDENTIALS);
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
