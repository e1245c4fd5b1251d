import { readFile } from 'node:fs/promises';
import 'should';
import { failureText, resultText, verdictText } from '../../../../nodes/shared/node/status-texts.js';

/** Reads texts as Node-RED does, which returns the key of a missing text without its catalog. */
function createCatalog(service: unknown) {
  return {
    _: (key: string, values: Record<string, string> = {}): string => {
      const path = key.replace(/^.*:/, '');
      const text = path.split('.').reduce<unknown>((part, name) => Object(part)[name], { service });
      return typeof text === 'string' ? text.replace(/__(\w+)__/g, (_match, name) => values[name] ?? '') : path;
    },
  } as Parameters<typeof failureText>[0];
}

const UNITS = { code: 'UNITS_DOUBTFUL' };
const CUT = { code: 'TRUNCATED' };
const OTHER = { code: 'VOLUME_CHANGED' };

for (const language of ['en-US', 'de'])
  describe(`the status texts in ${language}`, () => {
    let service: { failure: Record<string, string> };
    let catalog: ReturnType<typeof createCatalog>;

    before(async () => {
      ({ service } = JSON.parse(await readFile(`nodes/locales/${language}/service.json`, 'utf8')));
      catalog = createCatalog(service);
    });

    it('have at most 20 characters for each code of docs/errors.md', async () => {
      const page = await readFile('docs/errors.md', 'utf8');
      const table = page.slice(page.indexOf('## Flows and the client'), page.indexOf('### Warnings in a message'));
      const codes = [...table.matchAll(/^\| `([A-Z_]+)`/gm)].map(([, code = '']) => code);
      codes.length.should.be.above(20);
      for (const code of codes.filter((name) => name !== 'ABORTED' && name !== 'NOT_CONFIGURED')) {
        service.failure.should.have.property(code);
        failureText(catalog, code).length.should.be.within(3, 20);
      }
    });

    it('have at most 20 characters for failed operations and verdicts', () => {
      for (const operation of ['import', 'repair', 'wall-thickness-analysis', 'an-operation-of-the-user'])
        failureText(catalog, 'OPERATION_FAILED', operation).length.should.be.within(3, 20);
      for (const count of [1, 3, 12_345, 123_456_789]) verdictText(catalog, 'open', count).length.should.be.below(21);
    });

    it('have at most 20 characters for results with warnings', () => {
      for (const level of ['open', 'watertight', 'manifold', 'solid', undefined])
        for (const warnings of [[UNITS], [CUT], [OTHER], [OTHER, UNITS], Array.from({ length: 1234 }, () => OTHER)])
          resultText(catalog, { level, holeCount: 12_345, warnings, text: 'finished' }).length.should.be.within(3, 20);
    });
  });

describe('the status texts', () => {
  let catalog: ReturnType<typeof createCatalog>;

  before(async () => {
    catalog = createCatalog(JSON.parse(await readFile('nodes/locales/en-US/service.json', 'utf8')).service);
  });

  it('say what failed, not the code', () => {
    failureText(catalog, 'OPERATION_FAILED', 'import').should.equal('import failed');
    failureText(catalog, 'OPERATION_FAILED').should.equal('operation failed');
    failureText(catalog, 'NOT_FOUND', 'import').should.equal('not found');
    failureText(catalog, 'cancelled', 'import').should.equal('cancelled');
    for (const code of ['ENOSPC', undefined]) failureText(catalog, code).should.equal('unexpected error');
  });

  it('count the holes of an open model', () => {
    verdictText(catalog, 'open', 3).should.equal('open: 3 holes');
    verdictText(catalog, 'open', 1).should.equal('open: 1 hole');
    for (const count of [0, undefined]) verdictText(catalog, 'open', count).should.equal('open');
    verdictText(catalog, 'manifold', 3).should.equal('manifold');
  });

  it('name the reason why a result is yellow', () => {
    const textOf = (level: string | undefined, ...warnings: { code: string }[]) =>
      resultText(catalog, { level, holeCount: 3, warnings, text: 'finished' });
    textOf('solid').should.equal('solid');
    textOf('solid', OTHER).should.equal('solid: 1 warning');
    textOf('solid', OTHER, UNITS).should.equal('solid: check unit');
    textOf('solid', UNITS, CUT).should.equal('incomplete file');
    textOf('open', CUT).should.equal('incomplete file');
    textOf('open', OTHER).should.equal('open: 3 holes');
    textOf('open', UNITS).should.equal('open: check unit');
    textOf('watertight', UNITS).should.equal('check unit');
    textOf(undefined, OTHER, OTHER).should.equal('finished: 2 warnings');
    textOf(undefined).should.equal('finished');
  });

  it('are short without a catalog', () => {
    const missing = createCatalog({});
    failureText(missing, 'NOT_FOUND').should.equal('failed');
    verdictText(missing, 'open', 3).should.equal('open');
    resultText(missing, { level: 'solid', holeCount: 0, warnings: [UNITS], text: '' }).should.equal('solid');
  });
});
