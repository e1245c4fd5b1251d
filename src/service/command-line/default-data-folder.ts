import os from 'node:os';
import path from 'node:path';
import { StartError } from '../start-error.js';

/**
 * Returns the default data folder: `.model-processing` in the home directory of the user. Throws `FOLDER_UNUSABLE` if the
 * user has none, as a user of a container that the system does not know.
 */
export function defaultDataFolder(): string {
  try {
    return path.join(os.homedir(), '.model-processing');
  } catch (error) {
    const message =
      'No home directory: the system does not know this user. Choose a data folder with --data, or set HOME.';
    throw new StartError('FOLDER_UNUSABLE', message, { cause: error });
  }
}
