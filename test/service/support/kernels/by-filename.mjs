// Acts by the filename of the input: hangs, crashes, allocates, or (for any other name) writes a small output and
// succeeds. Its result contains whether it was told to warm up.
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { crc32 } from 'node:zlib';

function send(message) {
  process.stdout.write(`${JSON.stringify(message)}\n`);
}

const behaviors = {
  hang: () => setInterval(() => {}, 1000),
  crash: () => process.abort(),
  allocate: () => {
    const buffers = [];
    setInterval(() => buffers.push(Buffer.alloc(64 * 1024 * 1024, 1)), 1);
  },
};

process.stdin.on('end', () => process.kill(process.pid, 'SIGKILL'));
let wasWarmedUp = false;
createInterface(process.stdin).on('line', (line) => {
  if (line === 'warm-up') {
    wasWarmedUp = true;
    return;
  }
  const job = JSON.parse(line);
  const behave = behaviors[job.filename.split('.')[0]];
  if (behave) {
    behave();
    return;
  }
  const bytes = 'x'.repeat(1000);
  if (job.outputPath) writeFileSync(job.outputPath, bytes);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const output = { size: bytes.length, sha256, blockCrcs: crc32(bytes).toString(16).padStart(8, '0') };
  send({ type: 'done', result: { wasWarmedUp }, ...(job.outputPath && { output }) });
  process.stdout.end(() => process.exit(0));
});
