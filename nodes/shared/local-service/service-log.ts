/** A log line of the local service, in the form of the Node-RED log. */
export interface LogLine {
  level: 'debug' | 'info' | 'warn' | 'error';
  message: string;
}

/** Level of the service → level of Node-RED. */
const LEVELS: Record<string, LogLine['level']> = {
  trace: 'debug',
  debug: 'debug',
  info: 'info',
  warn: 'warn',
  error: 'error',
  fatal: 'error',
};

/**
 * Parses a line that the service wrote to stderr: a JSON object with `level` and `msg`. Other properties are appended
 * to the message, in parentheses; of an error, its message, or its stack if the level is `error`. Any other line comes
 * from Node.js or a library and is returned as a warning.
 *
 * Information on a single operation is returned as debug: the level info is for start, stop and trouble.
 */
export function readLogLine(line: string): LogLine {
  const record = parseRecord(line);
  const level = typeof record?.level === 'string' ? LEVELS[record.level] : undefined;
  if (!record || !level || typeof record.msg !== 'string') return { level: 'warn', message: line };
  const { level: _level, time: _time, msg, err, ...fields } = record;
  const details = Object.entries(fields).map(([name, value]) => `${name}: ${formatValue(value)}`);
  const { message, stack } = Object(err);
  const cause = (level === 'error' && stack) || message;
  return {
    level: level === 'info' && 'operationId' in fields ? 'debug' : level,
    message: `${msg}${details.length > 0 ? ` (${details.join(', ')})` : ''}${cause ? `: ${cause}` : ''}`,
  };
}

function formatValue(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function parseRecord(line: string): Record<string, unknown> | undefined {
  if (!line.startsWith('{')) return undefined;
  try {
    return Object(JSON.parse(line));
  } catch {
    return undefined;
  }
}
