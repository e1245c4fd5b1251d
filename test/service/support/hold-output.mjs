// Preloaded into a program: while the file HOLD_FILE exists, renaming a file waits, after `HOLD_FILE.reached` was written. The
// program is killed just before it deletes a record (KILL_BEFORE=record) or a blob (KILL_BEFORE=blob).
import { existsSync, writeFileSync } from 'node:fs';
import promises from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { setTimeout as sleep } from 'node:timers/promises';

const { HOLD_FILE = '', KILL_BEFORE } = process.env;
const { rename, rm, unlink } = promises;

function killIf(condition) {
  if (condition) process.kill(process.pid, 'SIGKILL');
}

promises.rename = async (...values) => {
  if (existsSync(HOLD_FILE)) writeFileSync(`${HOLD_FILE}.reached`, '');
  while (existsSync(HOLD_FILE)) await sleep(10);
  return rename(...values);
};
promises.unlink = (file) => {
  killIf(KILL_BEFORE === 'record' && String(file).endsWith('.json'));
  return unlink(file);
};
promises.rm = (file, ...more) => {
  killIf(KILL_BEFORE === 'blob' && /[/\\]blobs[/\\]/.test(file));
  return rm(file, ...more);
};
syncBuiltinESMExports();
