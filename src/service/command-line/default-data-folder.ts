import os from 'node:os';
import path from 'node:path';

/** Returns the default data folder: `.model-processing` in the home directory of the user. */
export function defaultDataFolder(): string {
  return path.join(os.homedir(), '.model-processing');
}
