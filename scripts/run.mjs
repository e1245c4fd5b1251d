// Runs what `suites.mjs` and `benches.mjs` list. Arguments after the names are passed on:
//   npm run suite -- NAME... [ARGUMENTS OF MOCHA]     npm run bench -- NAME [ARGUMENTS]     npm run soak [-- PART...]
// Exits with the status of the first run that fails. Builds before, except with KEEP_BUILD=1.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import os from 'node:os';
import { globSync } from 'glob';
import { BENCHES } from './benches.mjs';
import { LINUX_TESTS, LONGEST_TESTS, SAMPLED_SOAK, SOAK, SUITES } from './suites.mjs';

const [kind = '', ...rest] = process.argv.slice(2);
const firstOption = rest.findIndex((argument) => argument.startsWith('-'));
const names = firstOption < 0 ? rest : rest.slice(0, firstOption);
const more = firstOption < 0 ? [] : rest.slice(firstOption);

/** Runs a program. Resolves with its exit status. */
async function execute(program, args, env = {}) {
  const child = spawn(program, args, { stdio: 'inherit', env: { ...process.env, ...env } });
  const [status] = await once(child, 'exit');
  return status ?? 1;
}

/** Returns the test files of patterns that this system can run, the longest first. */
function listFiles(patterns) {
  const files = globSync(patterns, { posix: true });
  const isRunnable = (file) => process.platform === 'linux' || !LINUX_TESTS.includes(file);
  const rank = (file) => (LONGEST_TESTS.includes(file) ? LONGEST_TESTS.indexOf(file) : LONGEST_TESTS.length);
  return files.filter(isRunnable).sort((a, b) => rank(a) - rank(b) || a.localeCompare(b));
}

/** Runs one run of a suite. Resolves with its exit status. */
function perform({ files, parallel, command, npm, node = process.execPath, env }) {
  if (npm) return execute(process.execPath, [process.env.npm_execpath ?? '', ...npm], env);
  if (!files) return execute(node, [...command, ...more], env);
  // One more than there are cores, since many files wait.
  const jobs = parallel ? ['--parallel', '--jobs', String(os.availableParallelism() + 1)] : [];
  return execute(node, ['node_modules/mocha/bin/mocha.js', ...jobs, ...more, ...listFiles(files)], env);
}

/** Performs runs in turn. Resolves with the exit status of the first that fails, or 0. */
async function performAll(runs) {
  for (const run of runs) {
    const status = await perform(run);
    if (status !== 0) return status;
  }
  return 0;
}

function print(suites) {
  return suites.map(({ name }) => name).join(', ');
}

function find(suites, name) {
  const suite = suites.find((each) => each.name === name);
  if (!suite) throw new Error(`No ${kind} "${name}". Choose one of: ${print(suites)}.`);
  return suite.runs;
}

/** The date as a seed: the soak also tests other samples each day. */
const daySeed = new Date().toISOString().slice(0, 10).replaceAll('-', '');

/** Returns the runs of the parts of the soak that were named, or of all. */
function createSoak() {
  const parts = names.length > 0 ? names : SOAK.map(({ name }) => name);
  return parts.flatMap((name) =>
    find(SOAK, name).flatMap((run) =>
      run.files ? [run, { ...run, env: { ...run.env, SAMPLE_SEED: daySeed } }] : [run],
    ),
  );
}

const RUNS = {
  suite: () => names.flatMap((name) => find([...SUITES, ...SAMPLED_SOAK], name)),
  soak: () => {
    console.log(`The soak samples with the fixed seed and with SAMPLE_SEED=${daySeed}.`);
    return createSoak();
  },
  bench: () => {
    const runs = BENCHES.map(({ name }) => ({
      name,
      runs: [{ command: ['--import', 'tsx', `bench/${name}.ts`, ...names.slice(1)] }],
    }));
    return find(runs, names[0]);
  },
};

try {
  const runs = RUNS[kind]?.() ?? [];
  if (runs.length === 0)
    throw new Error(`Nothing to run. Choose one of: ${print(kind === 'bench' ? BENCHES : SUITES)}.`);
  process.exitCode = (await execute(process.execPath, ['scripts/build.mjs'])) || (await performAll(runs));
} catch (error) {
  console.error(error.message);
  process.exitCode = 2;
}
