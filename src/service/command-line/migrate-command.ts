import { createLogger } from '../logger.js';
import { StartError } from '../start-error.js';
import { CONNECTION_OPTIONS, hideArguments, readConnection } from './database-options.js';
import { parseOptions } from './parse-options.js';
import { refusePositionals } from './service-options.js';

/** Runs `model-processing migrate`. Resolves with the exit status; throws `StartError`. */
export async function migrateCommand(args: readonly string[]): Promise<number> {
  const options = parseOptions(args, CONNECTION_OPTIONS, process.env);
  refusePositionals(options);
  const database = readConnection(options);
  if (!database) throw new StartError('USAGE', 'Missing --database-url: the database whose tables are to be upgraded.');
  hideArguments('migrate');
  const { migrateDatabase } = await import('../database-mode/database-mode.js');
  await migrateDatabase({ database, logger: createLogger('warn') });
  return 0;
}
