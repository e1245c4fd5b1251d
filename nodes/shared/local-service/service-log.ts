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
 * to the message. Any other line comes from Node.js or a library and is returned as a warning.
 */
export function readLogLine(line: string): LogLine {
  const record = parseRecord(line);
  const level = typeof record?.level === 'string' ? LEVELS[record.level] : undefined;
  if (!record || !level || typeof record.msg !== 'string') return { level: 'warn', message: line };
  const { level: _level, time: _time, msg, ...rest } = record;
  const details = Object.keys(rest).length > 0 ? ` ${JSON.stringify(rest)}` : '';
  return { level, message: `${msg}${details}` };
}

function parseRecord(line: string): Record<string, unknown> | undefined {
  if (!line.startsWith('{')) return undefined;
  try {
    return Object(JSON.parse(line));
  } catch {
    return undefined;
  }
}
