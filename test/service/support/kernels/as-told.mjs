// Does what the name of the input says: hang, crash, allocate, or (any other) write an output of some bytes and succeed.
import { writeFileSync } from 'node:fs';

const tell = (message) => process.stdout.write(`${JSON.stringify(message)}\n`);

const behaviours = {
  hang: () => setInterval(() => {}, 1000),
  crash: () => process.abort(),
  allocate: () => {
    const held = [];
    setInterval(() => held.push(Buffer.alloc(64 * 1024 * 1024, 1)), 1);
  },
};

process.stdin.on('end', () => process.kill(process.pid, 'SIGKILL'));
process.stdin.once('data', (chunk) => {
  const job = JSON.parse(chunk.toString());
  const behave = behaviours[job.filename.split('.')[0]];
  if (behave) {
    behave();
    return;
  }
  if (job.outputPath) writeFileSync(job.outputPath, 'x'.repeat(1000));
  tell({ type: 'done', result: {} });
  process.stdout.end(() => process.exit(0));
});
