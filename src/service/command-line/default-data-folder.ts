import os from 'node:os';
import path from 'node:path';

/** Where a service keeps everything when nothing is said: `.model-processing` of the user's home. */
export function defaultDataFolder(): string {
  return path.join(os.homedir(), '.model-processing');
}
