import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import should from 'should';
import { npm } from '../helpers/packed-package.js';

const run = promisify(execFile);
const TOOL = path.resolve('test/packaging/scorecard');
const require = createRequire(path.resolve('package.json'));

// The versions of Node-RED that are maintained, and the Node that the latest one asks for.
const NODE_RED = {
  'dist-tags': { latest: '5.0.7', 'v4-maintenance': '4.1.15' },
  versions: { '5.0.7': { engines: { node: '>=22.9' } } },
};

// Every check of the tool that has a verdict.
const CHECKS = ['P01', 'P03', 'P04', 'P05', 'P06', 'P07', 'P08', 'N01', 'N02', 'D01', 'D02', 'D03'];

describe('the scorecard of the Flow Library', function () {
  this.timeout(180_000);
  let folder: string;
  let registry: Server;
  let scorecard: Record<string, { test?: boolean }>;
  let printed: string;

  before(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), 'scorecard-'));
    await npm(TOOL, ['ci', '--ignore-scripts', '--engine-strict=false']);
    registry = createServer((request, response) => {
      const answer = answerTo(decodeURIComponent(request.url ?? ''));
      response.writeHead(answer ? 200 : 404, { 'Content-Type': 'application/json' }).end(JSON.stringify(answer ?? {}));
    }).listen(0, '127.0.0.1');
    await once(registry, 'listening');
    const address = registry.address();
    if (typeof address !== 'object' || address === null) throw new Error('a listening TCP server has an address');
    const output = path.join(folder, 'scorecard.json');
    const tool = path.join(TOOL, 'node_modules/node-red-dev/bin/run');
    const preload = path.join(TOOL, 'stand-in-registry.cjs');
    const url = `http://127.0.0.1:${address.port}`;
    const { stdout, stderr } = await run(
      process.execPath,
      ['--require', preload, tool, 'validate', '--path', process.cwd(), '--output', output],
      { env: { ...process.env, REGISTRY: url, npm_config_registry: url } },
    );
    printed = stdout + stderr;
    scorecard = JSON.parse(await readFile(output, 'utf8'));
  });

  after(async () => {
    registry?.close();
    registry?.closeAllConnections();
    await rm(folder, { recursive: true, force: true });
  });

  for (const check of CHECKS)
    it(`passes ${check}`, () => {
      should(scorecard[check]?.test).equal(true, `${JSON.stringify(scorecard[check])}\n${printed}`);
    });

  it('can read every node', async () => {
    printed.should.not.match(/Unable to parse/);
    const { keywords } = require('./package.json');
    keywords.should.containEql('node-red'); // the tool passes P05 whatever the keywords are
  });
});

/** The catalogue has no package; of Node-RED the registry knows what stands above, of any other package the version in use here. */
function answerTo(address: string): object | undefined {
  if (address === '/catalogue.json') return { modules: [] };
  if (address === '/node-red') return NODE_RED;
  const name = address.slice(1);
  try {
    const { version, dependencies } = require(path.resolve('node_modules', name, 'package.json'));
    return { name, 'dist-tags': { latest: version }, versions: { [version]: { name, version, dependencies } } };
  } catch {
    return undefined;
  }
}
