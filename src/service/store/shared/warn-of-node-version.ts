import type { Logger } from '../../logger.js';

/** The oldest Node.js that pg-boss supports, as in its `engines`. The tests also pass on Node.js 20.19. */
export const QUEUE_NODE_VERSION = '22.12.0';

function toNumbers(version: string): number[] {
  return version.split('.').map(Number);
}

/** Logs a warning if `version` (default: that of this process) is older than the library of the queue supports. */
export function warnOfNodeVersion(logger: Pick<Logger, 'warn'>, version = process.versions.node): void {
  const [major = 0, minor = 0] = toNumbers(version);
  const [oldestMajor = 0, oldestMinor = 0] = toNumbers(QUEUE_NODE_VERSION);
  if (major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)) return;
  logger.warn(
    { node: version, supported: `>=${QUEUE_NODE_VERSION}` },
    'The library of the queue does not support this version of Node.js: install a newer one',
  );
}
