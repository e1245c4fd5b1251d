import { type DestinationStream, destination, type Logger, pino } from 'pino';

export type { Logger } from 'pino';

// Never to be seen in a log, wherever an object that holds them is logged.
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
 * Writes one JSON object a line: `level` (a word: debug, info, warn, error), `time` (ms), `msg` and what belongs to it. Secrets are
 * redacted. Default target: stderr, at once, so that the last lines before a crash are not lost.
 */
export function createLogger(level = 'info', target: DestinationStream = destination({ fd: 2, sync: true })): Logger {
  return pino(
    {
      level,
      base: null,
      formatters: { level: (label) => ({ level: label }) },
      redact: { paths: SECRETS, censor: '[secret]' },
    },
    target,
  );
}
