// Preloaded into a program: kills it just before call number KILL_AT_CALL, counted from 1, that renames, links or deletes a file.
import promises from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';

let left = Number(process.env.KILL_AT_CALL);
for (const name of ['rename', 'link', 'rm']) {
  const original = promises[name];
  promises[name] = (...values) => {
    left -= 1;
    if (left === 0) process.kill(process.pid, 'SIGKILL');
    return original(...values);
  };
}
syncBuiltinESMExports();
