// Runs jobs one after the other, and acts by the filename of the input: reports progress without end, crashes, allocates without end, allocates so
// only if it ran a job before (strain), reports progress without end then (tire), or fails then as too large (crowded) or malformed (starved), fails, says that it is spent or large, writes again after its outcome (chatter) or
// at once with it (babble), or (for any other name) succeeds. Its result contains its process id and which of its jobs this is.
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { crc32 } from 'node:zlib';

const MIB = 1024 ** 2;
let jobCount = 0;

function send(message) {
  process.stdout.write(`${JSON.stringify(message)}\n`);
}

function writeOutput({ outputPath }) {
  const bytes = 'x'.repeat(1000);
  writeFileSync(outputPath, bytes);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  return { size: bytes.length, sha256, blockCrcs: crc32(bytes).toString(16).padStart(8, '0') };
}

function succeed(job, more = { residentBytes: 50 * MIB }) {
  const result = { fields: { pid: process.pid, jobCount } };
  send({ type: 'done', result, ...(job.outputPath && { output: writeOutput(job) }), ...more });
}

function fail(code) {
  send({ type: 'failed', code, message: 'it failed', residentBytes: 50 * MIB });
}

function allocate() {
  const buffers = [];
  setInterval(() => buffers.push(Buffer.alloc(64 * MIB, 1)), 1);
}

function hang() {
  setInterval(() => send({ type: 'progress', progress: 0.5 }), 100);
}

const behaviors = {
  hang,
  tire: (job) => (jobCount > 1 ? hang() : succeed(job)),
  crash: () => process.abort(),
  allocate,
  crowded: (job) => (jobCount > 1 ? fail('TOO_LARGE') : succeed(job)),
  starved: (job) => (jobCount > 1 ? fail('FILE_MALFORMED') : succeed(job)),
  strain: (job) => (jobCount > 1 ? allocate() : succeed(job)),
  fail: () => fail('FILE_EMPTY'),
  spent: (job) => succeed(job, {}),
  large: (job) => succeed(job, { residentBytes: 500 * MIB }),
  babble: () => {
    const result = { fields: { pid: process.pid, jobCount } };
    const line = JSON.stringify({ type: 'done', result, residentBytes: MIB });
    process.stdout.write(`${line}\n${line}\n`);
  },
  chatter: (job) => {
    succeed(job);
    setTimeout(() => send({ type: 'done', result: { fields: { pid: 0, jobCount: 0 } } }), 1);
  },
};

process.stdin.on('end', () => process.kill(process.pid, 'SIGKILL'));
createInterface(process.stdin).on('line', (line) => {
  if (line === 'warm-up') return;
  const job = JSON.parse(line);
  jobCount += 1;
  send({ type: 'progress', progress: 0 });
  const behave = behaviors[job.filename.split('.')[0]] ?? succeed;
  behave(job);
});
