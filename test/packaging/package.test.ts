import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import should from 'should';
import { installNode, installTarball, packPackage } from '../helpers/packed-package.js';
import { LIBRARY_FILES } from '../mesh/formats/files/library-files.js';

const run = promisify(execFile);
const PROGRAM = `import { type Account, CLIENT_DEFAULTS, ClientError, type Client, type ClientOptions, createClient, createPollScheduler,
  createTokenSource, type ErrorCode, type OperationResult, type UploadSource } from '@model-processing/node-red/client';
const account: Account = { baseUrl: 'https://x.test', clientId: '', clientSecret: '', username: '', password: '' };
const tokens = createTokenSource(account, { onWarning: (message: string) => console.warn(message) });
const options: ClientOptions = { account, tokenSource: () => tokens, pollScheduler: createPollScheduler(), repeatStarts: false,
  limits: { maxTries: CLIENT_DEFAULTS.maxTries }, proxy: (url: string) => url };
const client: Client = createClient(options);
const source: UploadSource = { data: new Uint8Array(1), filename: 'part.stl' };
export async function run(signal: AbortSignal): Promise<string> {
  try {
    const { fileId } = await client.upload(source, { signal, onProgress: (bytes, total) => console.log(bytes / (total ?? 1)) });
    const { operationId } = await client.start('import', { fileId });
    const { result, status }: { result: OperationResult; status: { isCompleted: boolean } } = await client.wait(operationId, 'import');
    const { importFormats } = await client.describe();
    const file = await client.download(result.fileId ?? '', { to: 'file', folder: '.', exists: 'rename' });
    return \`\${status.isCompleted} \${importFormats.length} \${file.path?.length}\`;
  } catch (error) {
    const code: ErrorCode | undefined = error instanceof ClientError ? error.code : undefined;
    return code ?? '';
  } finally {
    await client.close();
  }
}
`;
const OLDEST_NODE = '20.19.0';

describe(`the packed package, installed with --engine-strict on Node ${OLDEST_NODE}`, () => {
  let folder: string;
  let node: string;
  let installed: string;

  before(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), 'package-'));
    node = await installNode(path.join(folder, 'node'), OLDEST_NODE);
    await installTarball(path.join(folder, 'user'), await packPackage(folder), node);
    installed = path.join(folder, 'user/node_modules/@model-processing/node-red');
  });

  after(() => rm(folder, { recursive: true, force: true }));

  it('contains the runtime files, and neither tests nor build records', async () => {
    const files = await readdir(installed, { recursive: true });
    files.should.containEql('dist/src/cli.js');
    files.should.containEql('dist/src/service/kernel-process.js');
    files.should.containEql('examples/Repair a model.json');
    files.should.containEql('samples/bracket.stl');
    files.filter((file) => /(^|\/)(test|bench|scripts)\/|tsbuildinfo|\.test\./.test(file)).should.be.empty();
  });

  it('lists every bundled package with its license, and has the same list as CycloneDX', async () => {
    const notices = await readFile(path.join(installed, 'dist/THIRD_PARTY_NOTICES.txt'), 'utf8');
    const bill = JSON.parse(await readFile(path.join(installed, 'dist/sbom.cdx.json'), 'utf8'));
    should(bill).match({ bomFormat: 'CycloneDX', specVersion: '1.6' });
    const names: string[] = bill.components.map(({ name }: { name: string }) => name);
    for (const name of ['fastify', 'kysely', 'pino', 'robust-predicates', 'draco3dgltf', 'meshoptimizer'])
      names.should.containEql(name);
    // Dependencies that are installed separately, and packages that only build or test, are not bundled.
    for (const name of ['libsql', 'occt-import-js', 'axios', 'esbuild', 'mocha']) names.should.not.containEql(name);
    for (const { name, version, licenses, purl } of bill.components) {
      notices.should.containEql(`\n${name} ${version}\n`);
      licenses.length.should.equal(1);
      purl.should.match(/^pkg:npm\/.+@\d/);
    }
    notices.should.containEql('Apache License');
  });

  it('reads the formats of all libraries, and names the package that has to be installed', async () => {
    const cli = path.join(installed, 'dist/src/cli.js');
    for (const [name, createFile] of Object.entries(LIBRARY_FILES)) {
      const file = path.join(folder, name);
      await writeFile(file, await createFile());
      // If a file fails, the program exits with 1, and its output is in the error.
      const { stdout } = await run(node, [cli, 'process', file, '--json']).catch((error: { stdout: string }) => error);
      const { error, verdict } = JSON.parse(stdout);
      if (name.endsWith('.ifc')) should(error).match({ code: 'FORMAT_UNKNOWN', message: /npm install web-ifc/ });
      else should(verdict?.level).equal('solid', `${name}: ${stdout}`);
    }
  });

  it('takes at most 60 MB with all dependencies', async () => {
    const { stdout } = await run('du', [
      '--apparent-size',
      '-s',
      '--block-size=1',
      path.join(folder, 'user/node_modules'),
    ]);
    Number.parseInt(stdout, 10).should.be.belowOrEqual(60e6);
  });

  it('has at most six dependencies', async () => {
    const manifest = JSON.parse(await readFile(path.join(installed, 'package.json'), 'utf8'));
    Object.keys(manifest.dependencies).length.should.be.belowOrEqual(6);
  });

  it('has both halves, labels, help and an icon for each node', async () => {
    const manifest = JSON.parse(await readFile(path.join(installed, 'package.json'), 'utf8'));
    const icons = await readdir(path.join(installed, 'dist/nodes/icons'));
    icons.should.not.be.empty();
    for (const file of Object.values<string>(manifest['node-red'].nodes)) {
      const { dir, name } = path.parse(path.join(installed, file));
      for (const part of [`${name}.js`, `${name}.html`, `locales/en-US/${name}.json`, `locales/en-US/${name}.html`])
        (await stat(path.join(dir, part))).size.should.be.above(0, part);
    }
  });

  it('has the scripts of the dialogs, and the German catalogs', async () => {
    const manifest = JSON.parse(await readFile(path.join(installed, 'package.json'), 'utf8'));
    for (const file of Object.values<string>(manifest['node-red'].nodes)) {
      const { dir, name } = path.parse(path.join(installed, file));
      const html = await readFile(path.join(dir, `${name}.html`), 'utf8');
      const scripts = [...html.matchAll(/src="resources\/@model-processing\/node-red\/([^"]+)"/g)];
      for (const [, script] of scripts)
        (await stat(path.join(installed, 'resources', script ?? ''))).size.should.be.above(0, script);
      for (const part of [`locales/de/${name}.json`, `locales/de/${name}.html`])
        (await stat(path.join(dir, part))).size.should.be.above(0, part);
    }
  });

  it('has nodes that load with require()', async () => {
    const manifest = JSON.parse(await readFile(path.join(installed, 'package.json'), 'utf8'));
    for (const file of Object.values<string>(manifest['node-red'].nodes)) {
      const script = `process.stdout.write(typeof require(${JSON.stringify(path.join(installed, file))}).default)`;
      (await run(node, ['-e', script])).stdout.should.equal('function', file);
    }
  });

  it('has a command line that prints its version and repairs a model', async () => {
    const cli = path.join(installed, 'dist/src/cli.js');
    const { version } = JSON.parse(await readFile('package.json', 'utf8'));
    (await run(node, [cli, '--version'])).stdout.trim().should.equal(version);
    const output = path.join(folder, 'repaired.stl');
    const bracket = path.join(installed, 'samples/bracket.stl');
    const { stdout } = await run(node, [cli, 'process', bracket, '--repair', '-o', output, '--json']);
    should(JSON.parse(stdout).verdict.level).equal('solid');
    (await stat(output)).size.should.be.above(84);
  });

  it('has a client that Node programs can import', async () => {
    const script =
      "import('@model-processing/node-red/client').then((m) => process.stdout.write(typeof m.createClient))";
    (await run(node, ['-e', script], { cwd: path.join(folder, 'user') })).stdout.should.equal('function');
  });

  it('has client types that compile in a strict program without other type packages', async () => {
    const program = path.join(folder, 'user/program.mts');
    await writeFile(program, PROGRAM);
    const roots = path.resolve('node_modules/@types');
    const strict = ['--noEmit', '--strict', '--exactOptionalPropertyTypes', '--noUncheckedIndexedAccess'];
    const target = ['--module', 'nodenext', '--target', 'es2022', '--types', 'node', '--typeRoots', roots];
    const { stdout } = await run(process.execPath, [
      path.resolve('node_modules/typescript/bin/tsc'),
      ...['--ignoreConfig', ...strict, ...target, program],
    ]).catch((error: unknown) => Object(error));
    should(stdout).equal('');
  });
});
