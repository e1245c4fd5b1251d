// Succeeds after as many ms as the filename of its input says, such as 500.stl, or for wait.stl when it receives SIGUSR2, and
// waits for the next job, as the real one. Its title says whether it is busy. Its output is the time of the end. For an
// input of the name kill.stl, it kills its worker process.
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { crc32 } from 'node:zlib';

const RESIDENT_BYTES = 50 * 1024 ** 2;

let endWait = () => undefined;
process.on('SIGUSR2', () => endWait());
process.stdin.on('end', () => process.kill(process.pid, 'SIGKILL'));
createInterface(process.stdin).on('line', (line) => {
  if (line === 'warm-up') return;
  const { filename, outputPath } = JSON.parse(line);
  const succeed = () => {
    const bytes = `${filename} ${Date.now()}`;
    if (outputPath) writeFileSync(outputPath, bytes);
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    const output = { size: bytes.length, sha256, blockCrcs: crc32(bytes).toString(16).padStart(8, '0') };
    const outcome = { type: 'done', result: {}, residentBytes: RESIDENT_BYTES, ...(outputPath && { output }) };
    process.stdout.write(`${JSON.stringify(outcome)}\n`);
    process.title = 'sleeping-kernel: idle';
  };
  if (filename === 'wait.stl') endWait = succeed;
  else if (filename === 'kill.stl') setTimeout(() => process.kill(process.ppid, 'SIGKILL'), 300);
  else setTimeout(succeed, Number.parseInt(filename, 10));
  process.title = 'sleeping-kernel: busy';
});
