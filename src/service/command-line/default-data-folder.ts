import os from 'node:os';
import path from 'node:path';

/** Where a service keeps everything when nothing is said: `.model-processing` of the user's home. */
export const defaultDataFolder = (): string => path.join(os.homedir(), '.model-processing');
