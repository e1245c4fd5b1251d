import { readFile } from 'node:fs/promises';
import 'should';
import should from 'should';
import { PREVIEW_FIELDS } from '../../nodes/preview.js';
import { PROCESS_FIELDS } from '../../nodes/process.js';
import { CREDENTIALS, SERVICE_FIELDS } from '../../nodes/service.js';
import { parseCallbackAddress } from '../../nodes/shared/callbacks/callback-address.js';
import type { Field } from '../../nodes/shared/node/settings.js';
import { findAccountProblem } from '../../nodes/shared/service/remote-account.js';
import { UPLOAD_FIELDS } from '../../nodes/upload.js';
import { readAccount } from '../../src/client/tokens/read-account.js';
import { readEditorHalf, sorted } from './support/editor-half.js';

// The service nodes of the editor. The first one was saved by a version without the setting `service`.
const SERVICES = { old: {}, local: { service: 'local' }, remote: { service: 'remote' } };

/** Returns the verdict of a dialog on a value: true, or the reason as catalog keys. */
async function check(node: string, field: string, value: unknown, settings: Record<string, unknown> = {}) {
  const { type, defaults, credentials } = await readEditorHalf(node, SERVICES);
  const { validate } = { ...defaults, ...credentials }[field] ?? {};
  return validate?.call({ type, ...settings, _: (key: string) => key }, value, {});
}

// biome-ignore lint/suspicious/noTemplateCurlyInString: Node-RED's syntax for environment variables
const VARIABLE = '${MODEL_SETTING}';

describe('a number in a dialog', () => {
  /** Returns whether the runtime half uses a saved number as it is, or the default if it is empty. */
  const isUsed = (field: Field<unknown>, saved: unknown) =>
    field.read(saved) === (saved === '' ? field.value : Number(saved));
  const numbers: [string, string, Field<unknown>, object][] = [
    ['service', 'concurrency', SERVICE_FIELDS.concurrency, {}],
    ['service', 'pollMin', SERVICE_FIELDS.pollMin, {}],
    ['service', 'pollMax', SERVICE_FIELDS.pollMax, {}],
    ['service', 'timeout', SERVICE_FIELDS.timeout, {}],
    ['upload', 'completeSeconds', UPLOAD_FIELDS.completeSeconds, { waitComplete: true }],
    ['preview', 'pictureWidth', PREVIEW_FIELDS.pictureWidth, {}],
    ['process', 'completeSeconds', PROCESS_FIELDS.completeSeconds, { waitComplete: true }],
  ];

  for (const [node, name, field, settings] of numbers)
    it(`is valid if the runtime half uses it unchanged: ${name} of model ${node}`, async () => {
      const values = [
        '',
        0,
        '0',
        -1,
        '0.04',
        '0.05',
        '0.1',
        '0.5',
        1,
        '1',
        '2.5',
        '8',
        '1e3',
        '0x10',
        '3600',
        'soon',
        'NaN',
        'Infinity',
        '1e999',
      ];
      for (const value of values) {
        const verdict = await check(node, name, value, { ...settings });
        should(verdict === true).equal(isUsed(field, value), `${value}: ${verdict}`);
      }
      should(await check(node, name, VARIABLE, { ...settings })).be.true();
      should(await check(node, name, undefined, { ...settings })).be.true();
    });

  it('is not checked while it is not used', async () => {
    should(await check('upload', 'completeSeconds', '0', { waitComplete: false })).be.true();
  });

  it('is at least the minimum poll interval, for the maximum', async () => {
    should(await check('service', 'pollMax', '5', { pollMin: '10' })).equal(
      'service.label.poll: service.invalid.numberFrom',
    );
    should(await check('service', 'pollMax', '10', { pollMin: '10' })).be.true();
  });
});

describe('the dialog of a remote service', () => {
  const remote = { service: 'remote' };

  it('accepts the addresses of the runtime half', async () => {
    const addresses = [
      'https://models.example.com',
      ' HTTP://127.0.0.1:8484/api/ ',
      'http://[::1]:80',
      'https://models.example.com?key=1',
      '',
      'models.example.com',
      'ftp://models.example.com',
      'https://',
      'https://host:99999',
      'https://me:word@models.example.com',
    ];
    const account = { clientId: 'a', clientSecret: 'b', username: 'c', password: 'd' };
    for (const baseUrl of addresses) {
      const isValid = (await check('service', 'baseUrl', baseUrl, remote)) === true;
      isValid.should.equal(findAccountProblem(baseUrl, account) === undefined, baseUrl);
      if (isValid) (() => readAccount({ ...account, baseUrl })).should.not.throw();
    }
    should(await check('service', 'baseUrl', '', remote)).equal('service.label.baseUrl: service.invalid.address');
    should(await check('service', 'baseUrl', VARIABLE, remote)).be.true();
    should(await check('service', 'baseUrl', '', { service: 'local' })).be.true();
  });

  it('accepts the callback URLs of the runtime half', async () => {
    const urls = [
      '',
      ' ',
      'https://nodes.example.com',
      ' http://127.0.0.1:1880/ ',
      'https://nodes.example.com?',
      'nodes.example.com',
      'https://nodes.example.com/red',
      'https://nodes.example.com:99999',
      'https://me:word@nodes.example.com',
    ];
    for (const url of urls) {
      const isValid = (await check('service', 'callbackUrl', url, remote)) === true;
      isValid.should.equal(parseCallbackAddress(url, '/')?.problem === undefined, url);
    }
    should(await check('service', 'callbackUrl', VARIABLE, remote)).be.true();
    should(await check('service', 'callbackUrl', 'nowhere', { service: 'local' })).be.true();
  });

  it('requires the credentials', async () => {
    for (const name of Object.keys(CREDENTIALS)) {
      const reason = `service.label.${name}: service.invalid.credential`;
      should(await check('service', name, '', remote)).equal(reason);
      should(await check('service', name, '', { service: 'local' })).be.true();
      for (const value of ['me', '__PWRD__', VARIABLE]) should(await check('service', name, value, remote)).be.true();
    }
  });
});

describe('a unit, format or number that only a remote service may know', () => {
  const values: [string, string, string][] = [
    ['import', 'measurementUnits', 'parsec'],
    ['import', 'maxAngle', '0.5'],
    ['export', 'exportToFormat', 'step'],
  ];
  for (const [node, field, value] of values) {
    it(`is invalid for a local service: ${field} of model ${node}`, async () => {
      for (const service of ['local', 'old']) should(await check(node, field, value, { service })).be.String();
    });

    it(`is valid for a remote or unknown service: ${field} of model ${node}`, async () => {
      for (const service of ['remote', VARIABLE, 'missing', ''])
        should(await check(node, field, value, { service })).be.true();
    });
  }
});

describe('the rules of the dialogs', () => {
  it('have the texts of all reasons in the catalog', async () => {
    const rules = await Promise.all(
      ['nodes/shared/node/field-rules.ts', 'resources/dialog-validation.js', 'nodes/service.html'].map((file) =>
        readFile(file, 'utf8'),
      ),
    );
    const reasons = rules.join().matchAll(/reason: (?:\w+ === 'env' \? )?'(\w+)'(?: : '(\w+)')?/g);
    const kinds = ['numberAbove', 'numberFrom', 'numberBetween', 'number', 'integerFrom', 'integerBetween'];
    const used = new Set([
      ...kinds,
      ...[...reasons].flatMap(([, first, second]) => [first, second]).filter((reason) => reason !== undefined),
    ]);
    const { service } = JSON.parse(await readFile('nodes/locales/en-US/service.json', 'utf8'));
    sorted(Object.keys(service.invalid)).should.deepEqual(sorted([...used]));
  });

  it('have texts that continue after the label of the field, in lower case', async () => {
    for (const language of ['en-US', 'de']) {
      const { service } = JSON.parse(await readFile(`nodes/locales/${language}/service.json`, 'utf8'));
      for (const text of Object.values(service.invalid)) should(text).match(/^\p{Ll}/u);
    }
  });
});
