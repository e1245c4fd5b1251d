/** One line of the local service's log, as Node-RED's log takes it. */
export interface LogLine {
  level: 'debug' | 'info' | 'warn' | 'error';
  message: string;
}

const LEVELS: Record<string, LogLine['level']> = {
  trace: 'debug',
  debug: 'debug',
  info: 'info',
  warn: 'warn',
  error: 'error',
  fatal: 'error',
};

/**
 * Reads a line that the service wrote to stderr: a JSON object with `level` and `msg`. What is no such object was not written
 * by its logger, but by Node or a library in trouble: a warning.
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
