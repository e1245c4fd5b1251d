import { type DestinationStream, destination, type Logger, pino } from 'pino';

import { escapeControlsInLines } from './escape-controls.js';

export type { Logger } from 'pino';

// Properties that are redacted in every logged object.
const SECRETS = [
  'authorization',
  'password',
  'client_secret',
  'clientSecret',
  'access_token',
  'refresh_token',
  '*.authorization',
  '*.password',
  '*.client_secret',
  '*.clientSecret',
  '*.access_token',
  '*.refresh_token',
];

/**
 * Creates a logger that writes one JSON object per line: `level` (debug, info, warn or error), `time` (ms), `msg` and
 * its fields. Secrets are redacted, and control characters escaped. Default target: stderr, written synchronously, so that the last lines before a
 * crash are not lost.
 */
export function createLogger(level = 'info', target: DestinationStream = destination({ fd: 2, sync: true })): Logger {
  const escaping: DestinationStream = { write: (line) => target.write(escapeControlsInLines(line)) };
  return pino(
    {
      level,
      base: null,
      formatters: { level: (label) => ({ level: label }) },
      redact: { paths: SECRETS, censor: '[secret]' },
    },
    escaping,
  );
}
