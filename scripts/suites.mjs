// The suites and benches of the project, each once. `npm run suite`, `npm run soak`, `npm run bench` and `.ci/run` read
// these tables; a test compares those of CONTRIBUTING.md with them.
import { readFileSync } from 'node:fs';

/**
 * @typedef {object} Run A run of mocha, of a program, or of npm.
 * @property {string[]} [files] Patterns of test files.
 * @property {boolean} [parallel] Whether mocha runs files at the same time. The longest start first.
 * @property {string[]} [command] A program and its arguments.
 * @property {string[]} [npm] Arguments of npm.
 * @property {string} [node] The Node.js that runs mocha or the program. Default: this one.
 * @property {Record<string, string>} [env] Additional environment variables.
 *
 * @typedef {object} Suite
 * @property {string} name
 * @property {string} checks What it tests.
 * @property {string} needs What it needs besides the installed packages.
 * @property {readonly Run[]} runs In turn. The first that fails ends the suite.
 * @property {number} [gateS] The seconds that it takes in the gate. None: it is not a part of its own there.
 *
 * @typedef {object} Count How many cases of a file are tested by `npm test`, in the gate and in the soak.
 * @property {string} name For a program: the option that sets the number.
 * @property {string} file
 * @property {number | 'all'} [test]
 * @property {number | 'all'} gate
 * @property {number | 'all'} soak
 * @property {number} [gateS] As that of a suite.
 */

function readJson(file) {
  return JSON.parse(readFileSync(new URL(file, import.meta.url), 'utf8'));
}

/** @type {readonly Count[]} */
export const COUNTS = readJson('../test/counts.json');

const NODE_TESTS = 'test/{mesh,client,service,contract,nodes,cli,flows,lint,soak}/**/*.test.ts';

/** Test files whose cases are sampled by `npm test`. */
const SAMPLED_FILES = [...new Set(COUNTS.filter(({ test }) => test !== undefined).map(({ file }) => file))];

const NODE_RED_5 = 'test/matrix/nr5';
const ON_NODE_RED_5 = { node: `${NODE_RED_5}/node_modules/.bin/node`, env: { NODE_RED_DIR: NODE_RED_5 } };

/**
 * Test files that need Linux: they read /proc, send signals, or rely on links and modes of files. Left out elsewhere.
 * @type {readonly string[]}
 */
export const LINUX_TESTS = readJson('../test/linux-tests.json');

/** Test files that take longest, in this order. They start first where files run in parallel. @type {readonly string[]} */
export const LONGEST_TESTS = readJson('../test/longest-tests.json');

/** @type {readonly Suite[]} */
export const SUITES = [
  {
    name: 'node',
    checks: 'everything that needs Node.js only. Runs as part of `npm test`',
    needs: '',
    runs: [{ files: [NODE_TESTS], parallel: true }],
  },
  {
    name: 'linux',
    checks: 'the files of `node` that need Linux, which are left out elsewhere: `test/linux-tests.json`',
    needs: 'Linux',
    runs: [{ files: [...LINUX_TESTS], parallel: true }],
  },
  {
    name: 'exhaustive',
    checks: 'the files that `npm test` samples, with the counts of the gate in `test/counts.json`',
    needs: '',
    runs: [{ files: SAMPLED_FILES, parallel: true, env: { COUNTS: 'gate' } }],
    gateS: 420,
  },
  {
    name: 'work',
    checks:
      'that the work of all operations and exports grows with n log n on extreme models, by the code that V8 counts in a new process',
    needs: '',
    runs: [{ files: ['test/bounded-work/*.test.ts'] }],
    gateS: 60,
  },
  {
    name: 'package',
    checks:
      'the packed package, installed with `--engine-strict` on Node 20.19.0 and checked by the tool of the Flow Library',
    needs: 'the npm registry',
    runs: [{ files: ['test/packaging/*.test.ts'] }],
    gateS: 60,
  },
  {
    name: 'demo',
    checks: '`npm run demo`',
    needs: '',
    runs: [{ command: ['scripts/demo.mjs', '-o', 'build/demo.stl'] }],
    gateS: 5,
  },
  {
    name: 'docs',
    checks: 'the commands of docs/api.md, as written',
    needs: '`curl`',
    runs: [{ files: ['test/docs/*.test.ts'] }],
    gateS: 10,
  },
  {
    name: 'editor',
    checks:
      'the editor of Node-RED. Saves pictures of all dialogs and examples in `test/editor/pictures`: look at them after a change of the user interface. `UPDATE_PICTURES=1` renews those of the documentation',
    needs: 'Chromium (`CHROMIUM` sets a path other than `/usr/bin/chromium`)',
    runs: [{ files: ['test/editor/*.test.ts'] }],
    gateS: 620,
  },
  {
    name: 'web',
    checks: 'the page of the service: mouse, keyboard, touch, odd cases, axe-core',
    needs: 'Chromium',
    runs: [{ files: ['test/web/*.test.ts'] }],
    gateS: 200,
  },
  {
    name: 'viewer',
    checks:
      'the viewer and HTML reports, by the pixels of pictures in `test/viewer/pictures`. `UPDATE_PICTURES=1` renews that of the documentation',
    needs: 'Chromium',
    runs: [{ files: ['test/viewer/*.test.ts'] }],
    gateS: 240,
  },
  {
    name: 'dashboard',
    checks: 'the example for Dashboard 2.0. Saves pictures in `test/dashboard/pictures`',
    needs: 'Chromium, the npm registry',
    runs: [
      { npm: ['--prefix', 'test/matrix/dashboard', 'ci', '--ignore-scripts'] },
      { files: ['test/dashboard/*.test.ts'] },
    ],
    gateS: 60,
  },
  {
    name: 'node-red-5',
    checks: 'what depends on the version of Node-RED, in Node-RED 5 on Node 24',
    needs: 'Chromium, the npm registry',
    runs: [
      { npm: ['--prefix', NODE_RED_5, 'ci', '--ignore-scripts', '--engine-strict=false'] },
      {
        files: [
          'test/nodes/{upload,upload-streams,repair,operation,operations,wait,download,process,preview,thumbnail,end-to-end}.test.ts',
          'test/nodes/{callbacks,cancel,flow-node,formats-endpoint,preview-endpoints,test-connection}.test.ts',
          'test/flows/{cloned-streams,examples,node-red-lifecycle,streams,waits-follow-moves}.test.ts',
          'test/nodes/shared/transfers/check-stream.test.ts',
          'test/service/kernel/!(*-outputs).test.ts',
        ],
        ...ON_NODE_RED_5,
      },
      { files: ['test/editor/{editor,first-use,new-nodes}.test.ts'], ...ON_NODE_RED_5 },
    ],
    gateS: 580,
  },
  {
    name: 'databases',
    checks: 'a service on many machines',
    needs:
      "Debian's `postgresql-15`, `pgbouncer`, `haproxy`, `swift`, `swift-proxy`, `swift-account`, `swift-container`, `swift-object`, `memcached`; Chromium",
    runs: [
      { files: ['test/databases/**/*.test.ts'] },
      {
        files: [
          'test/service/store/@(queue|queue-fairness|usage|prepare-query).test.ts',
          'test/service/blobs/@(mark-deleted|storage-quota).test.ts',
          'test/service/operations/@(record-completion|worker|worker-storing).test.ts',
        ],
        env: { STORE: 'postgres' },
      },
    ],
    gateS: 740,
  },
  {
    name: 'judges',
    checks:
      'repairs and other operations, judged by admesh, PrusaSlicer and CGAL, also of the models of the folder `JUDGED_MODELS` (default: `../shared/models`)',
    needs: "Debian's `admesh`, `prusa-slicer`, `g++`, `libcgal-dev`",
    runs: [{ files: ['test/judges/*.test.ts'] }],
    gateS: 800,
  },
  {
    name: 'slicer',
    checks: 'the example that slices a model and sends it to a printer',
    needs: "Debian's `prusa-slicer`",
    runs: [{ files: ['test/slicer/*.test.ts'] }],
    gateS: 20,
  },
  {
    name: 'clients',
    checks: 'OAuth clients that others wrote',
    needs: "Debian's `python3-requests-oauthlib`",
    runs: [{ files: ['test/clients/*.test.ts'] }],
    gateS: 15,
  },
  {
    name: 'sandbox',
    checks: 'kernel processes in a sandbox: attacks from inside, and whole flows',
    needs: "Linux, root, Debian's `bubblewrap`",
    runs: [{ files: ['test/sandbox/*.test.ts'] }],
    gateS: 60,
  },
  {
    name: 'disk',
    checks: 'a disk that is full',
    needs: 'Linux, root: mounts a small disk in memory',
    runs: [{ files: ['test/small-disk/*.test.ts'] }],
    gateS: 30,
  },
  {
    name: 'arm64',
    checks: 'the kernel on arm64, emulated',
    needs: "Debian's `qemu-user`, `libc6-arm64-cross`, `libstdc++6-arm64-cross`; the npm registry",
    runs: [{ files: ['test/arm64/*.test.ts'] }],
    gateS: 60,
  },
];

/** Returns the programs of the soak, each with the options that `counts.json` gives at a level. */
function createSoakSuites(level) {
  const programs = [...new Set(COUNTS.filter(({ test }) => test === undefined).map(({ file }) => file))];
  return programs.map((file) => {
    const rows = COUNTS.filter((row) => row.file === file);
    const options = rows.flatMap((row) => [row.name, String(row[level])]);
    return {
      name: file.replace(/^.*\/(.*)\.ts$/, '$1'),
      checks: '',
      needs: '',
      runs: [{ command: ['--import', 'tsx', file, ...options] }],
      gateS: rows[0]?.gateS,
    };
  });
}

/** The parts of the soak with the counts of the gate. @type {readonly Suite[]} */
export const SAMPLED_SOAK = createSoakSuites('gate');

/** The parts of the soak with all counts. @type {readonly Suite[]} */
export const SOAK = [
  ...createSoakSuites('soak'),
  {
    name: 'exhaustive',
    checks: '',
    needs: '',
    runs: [{ files: SAMPLED_FILES, env: { COUNTS: 'soak' } }],
  },
];
