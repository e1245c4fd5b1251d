import { readFileSync } from 'node:fs';
import Database from 'libsql';
import 'should';

interface Component {
  name: string;
  version: string;
}

const readJson = (file: string | URL) => JSON.parse(readFileSync(file, 'utf8'));
const LIST = 'test/lint/bundled-versions.json';

/**
 * The list is what maintainers compare with advisories: SECURITY.md says how. A test fails as soon as the package contains
 * another version, so that none is bundled without that.
 */
describe('test/lint/bundled-versions.json', () => {
  const listed = readJson(LIST);

  it('lists the packages of which the built files contain parts', () => {
    const { components }: { components: Component[] } = readJson('dist/sbom.cdx.json');
    components.map(({ name, version }) => `${name} ${version}`).should.deepEqual(listed.bundled);
  });

  it('lists the packages that npm installs with this one', () => {
    const { dependencies } = readJson('package.json');
    const versions = Object.keys(dependencies).map((name) => [
      name,
      readJson(`node_modules/${name}/package.json`).version,
    ]);
    Object.fromEntries(versions).should.deepEqual(listed.installed);
  });

  it('lists the version of SQLite in libsql, which is older than that of its package', () => {
    const database = new Database(':memory:');
    const { version } = database.prepare('select sqlite_version() as version').get() as { version: string }; // the query says so
    database.close();
    listed.native.should.deepEqual({ 'SQLite in libsql': version });
  });
});
