import type { JobMessage } from './messages.js';

/**
 * Parses a line of a kernel process. Returns `undefined` if it is not a message. Checks only the outer fields: the
 * program is trusted, but its output may be truncated.
 */
export function readMessage(line: string): JobMessage | undefined {
  try {
    const message: unknown = JSON.parse(line);
    if (typeof message !== 'object' || message === null || !('type' in message)) return undefined;
    const isComplete =
      (message.type === 'progress' && 'progress' in message && typeof message.progress === 'number') ||
      (message.type === 'input' && 'sha256' in message && typeof message.sha256 === 'string') ||
      (message.type === 'done' && 'result' in message) ||
      (message.type === 'failed' && 'code' in message && 'message' in message);
    return isComplete ? (message as JobMessage) : undefined; // its outer fields were just checked
  } catch {
    return undefined; // the process ended in the middle of a line
  }
}
