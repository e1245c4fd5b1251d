// Does what the name of the input says: hang, crash, allocate, or (any other) write an output of some bytes and succeed. Its result says whether it was
// told to rehearse before.
import { writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

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
let hasRehearsed = false;
createInterface(process.stdin).on('line', (line) => {
  if (line === 'warm-up') {
    hasRehearsed = true;
    return;
  }
  const job = JSON.parse(line);
  const behave = behaviours[job.filename.split('.')[0]];
  if (behave) {
    behave();
    return;
  }
  if (job.outputPath) writeFileSync(job.outputPath, 'x'.repeat(1000));
  tell({ type: 'done', result: { hasRehearsed } });
  process.stdout.end(() => process.exit(0));
});
