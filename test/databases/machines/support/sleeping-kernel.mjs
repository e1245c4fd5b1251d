// Succeeds after as many ms as the filename of its input says, such as 500.stl. Its output is the time of its end. For an
// input of the name kill.stl, it kills its worker process.
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { crc32 } from 'node:zlib';

process.stdin.on('end', () => process.kill(process.pid, 'SIGKILL'));
createInterface(process.stdin).on('line', (line) => {
  if (line === 'warm-up') return;
  const { filename, outputPath } = JSON.parse(line);
  if (filename === 'kill.stl') {
    setTimeout(() => process.kill(process.ppid, 'SIGKILL'), 300);
    return;
  }
  setTimeout(
    () => {
      const bytes = `${filename} ${Date.now()}`;
      if (outputPath) writeFileSync(outputPath, bytes);
      const sha256 = createHash('sha256').update(bytes).digest('hex');
      const output = { size: bytes.length, sha256, blockCrcs: crc32(bytes).toString(16).padStart(8, '0') };
      process.stdout.write(`${JSON.stringify({ type: 'done', result: {}, ...(outputPath && { output }) })}\n`);
      process.stdout.end(() => process.exit(0));
    },
    Number.parseInt(filename, 10),
  );
});
