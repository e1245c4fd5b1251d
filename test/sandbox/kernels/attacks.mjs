// A kernel program in the hands of an attacker. Each job names an attack by its operation, with its target as parameter. The
// result says what came of it: what was read, or the error code of the refusal.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import { createInterface } from 'node:readline';

const attempt = (action) => {
  try {
    return action() ?? 'done';
  } catch (error) {
    return error.code ?? error.message;
  }
};

async function connect(options) {
  const socket = net.connect(options);
  return once(socket, 'connect').then(
    () => 'connected',
    (error) => error.code,
  );
}

function processes() {
  return fs.readdirSync('/proc').filter((name) => /^\d+$/.test(name));
}

const attacks = {
  read: ({ target }) => attempt(() => fs.readFileSync(target, 'utf8')),
  list: ({ target }) => attempt(() => fs.readdirSync(target).sort()),
  write: ({ target }) => attempt(() => fs.writeFileSync(target, 'attacked')),
  // Writes nothing: if the sandbox failed, this machine would have to be repaired.
  openForWriting: ({ target }) => attempt(() => fs.closeSync(fs.openSync(target, 'a'))),
  connect: ({ target }) => connect(JSON.parse(target)),
  processes,
  environments: () => processes().map((pid) => attempt(() => fs.readFileSync(`/proc/${pid}/environ`, 'utf8'))),
  ownEnvironment: () => process.env,
  signal: ({ target }) => attempt(() => process.kill(Number(target), 'SIGKILL')),
  run: ({ target }) => attempt(() => execFileSync(target, { encoding: 'utf8' })),
  identity: () => fs.readFileSync('/proc/self/status', 'utf8').match(/^(?:CapEff|NoNewPrivs):.*$/gm),
  hostname: () => os.hostname(),
  // Ways round a file that cannot be opened for writing.
  alterInput: (_parameters, { inputPath }) => {
    const descriptor = fs.openSync(inputPath, 'r');
    return [
      attempt(() => fs.openSync(inputPath, 'r+')),
      attempt(() => fs.openSync(`/proc/self/fd/${descriptor}`, 'r+')),
      attempt(() => fs.chmodSync(inputPath, 0o777)),
      attempt(() => fs.truncateSync(inputPath, 0)),
      attempt(() => fs.unlinkSync(inputPath)),
      attempt(() => fs.renameSync(inputPath, '/job/out/moved')),
      attempt(() => fs.linkSync(inputPath, '/job/out/linked')),
    ];
  },
  copyInput: (_parameters, { inputPath, outputPath }) => attempt(() => fs.copyFileSync(inputPath, outputPath)),
  linkOutput: ({ target }, { outputPath }) => attempt(() => fs.symlinkSync(target, outputPath)),
  outputFolder: (_parameters, { outputPath }) => attempt(() => fs.mkdirSync(`${outputPath}/a/b`, { recursive: true })),
  leave: ({ target }) => attempt(() => fs.writeFileSync(`/job/out/${target}`, 'left')),
  leaveRaw: () => attempt(() => fs.writeFileSync(Buffer.from([...Buffer.from('/job/out/'), 0xff, 0xfe]), 'left')),
  leaveFolder: () =>
    attempt(() => {
      fs.mkdirSync('/job/out/closed/inner', { recursive: true });
      fs.symlinkSync('../..', '/job/out/closed/up');
      fs.chmodSync('/job/out/closed', 0);
    }),
  escape: () => {
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { detached: true, stdio: 'ignore' });
    child.unref();
    return child.pid === undefined ? 'refused' : 'started';
  },
  pid: () => process.pid,
};

createInterface(process.stdin).on('line', async (line) => {
  if (line === 'warm-up') return;
  const job = JSON.parse(line);
  const fields = { outcome: await attacks[job.operation](job.parameters, job) };
  const residentBytes = process.memoryUsage.rss();
  process.stdout.write(`${JSON.stringify({ type: 'done', result: { fields }, residentBytes })}\n`);
});
process.stdin.on('end', () => process.exit(0));
