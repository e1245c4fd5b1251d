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

// The maintained versions of Node-RED, and the version of Node that the latest one requires.
const NODE_RED = {
  'dist-tags': { latest: '5.0.7', 'v4-maintenance': '4.1.15' },
  versions: { '5.0.7': { engines: { node: '>=22.9' } } },
};

// All checks of the tool that have a result.
const CHECKS = ['P01', 'P03', 'P04', 'P05', 'P06', 'P07', 'P08', 'N01', 'N02', 'D01', 'D02', 'D03'];

describe('the scorecard of the Flow Library', () => {
  let folder: string;
  let registry: Server;
  let scorecard: Record<string, { test?: boolean }>;
  let toolOutput: string;

  before(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), 'scorecard-'));
    await npm(TOOL, ['ci', '--ignore-scripts', '--engine-strict=false']);
    registry = createServer((request, response) => {
      const reply = findReply(decodeURIComponent(request.url ?? ''));
      response.writeHead(reply ? 200 : 404, { 'Content-Type': 'application/json' }).end(JSON.stringify(reply ?? {}));
    }).listen(0, '127.0.0.1');
    await once(registry, 'listening');
    const address = registry.address();
    if (typeof address !== 'object' || address === null) throw new Error('Expected a TCP address.');
    const output = path.join(folder, 'scorecard.json');
    const tool = path.join(TOOL, 'node_modules/node-red-dev/bin/run');
    const preload = path.join(TOOL, 'fake-registry.cjs');
    const url = `http://127.0.0.1:${address.port}`;
    const { stdout, stderr } = await run(
      process.execPath,
      ['--require', preload, tool, 'validate', '--path', process.cwd(), '--output', output],
      { env: { ...process.env, REGISTRY: url, npm_config_registry: url } },
    );
    toolOutput = stdout + stderr;
    scorecard = JSON.parse(await readFile(output, 'utf8'));
  });

  after(async () => {
    registry?.close();
    registry?.closeAllConnections();
    await rm(folder, { recursive: true, force: true });
  });

  for (const check of CHECKS)
    it(`passes ${check}`, () => {
      should(scorecard[check]?.test).equal(true, `${JSON.stringify(scorecard[check])}\n${toolOutput}`);
    });

  it('parses every node', async () => {
    toolOutput.should.not.match(/Unable to parse/);
    const { keywords } = require('./package.json');
    keywords.should.containEql('node-red'); // the tool passes P05 with any keywords
  });
});

/**
 * Returns the reply of the fake registry: an empty catalog, the versions of Node-RED above, and the installed version of
 * other packages.
 */
function findReply(url: string): object | undefined {
  if (url === '/catalogue.json') return { modules: [] };
  if (url === '/node-red') return NODE_RED;
  const name = url.slice(1);
  try {
    const { version, dependencies } = require(path.resolve('node_modules', name, 'package.json'));
    return { name, 'dist-tags': { latest: version }, versions: { [version]: { name, version, dependencies } } };
  } catch {
    return undefined;
  }
}
