// A kernel process that fails a job with several threads. Its filename is the code of the failure, or `exit`: it then exits
// before it has read the job. With one thread the job hangs if it has the parameter `hangs`, or succeeds.
import { createInterface } from 'node:readline';

function send(message) {
  process.stdout.write(`${JSON.stringify(message)}\n`);
}

process.stdin.on('end', () => process.kill(process.pid, 'SIGKILL'));
createInterface(process.stdin).on('line', (line) => {
  const { filename, threads, parameters } = JSON.parse(line);
  if (filename === 'exit') process.exit(3);
  send({ type: 'progress', progress: 0 });
  if (threads > 1) send({ type: 'failed', code: filename, message: `it failed with ${threads} threads` });
  else if (!parameters.hangs) send({ type: 'done', result: {} });
});
