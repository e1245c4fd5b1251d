import type { JobMessage } from './messages.js';

/**
 * Reads a line that a kernel process wrote; `undefined` for one that is no message. Only its frame is checked: the program is ours, but what
 * it prints may have been cut.
 */
export function readMessage(line: string): JobMessage | undefined {
  try {
    const message: unknown = JSON.parse(line);
    if (typeof message !== 'object' || message === null || !('type' in message)) return undefined;
    const isWhole =
      (message.type === 'progress' && 'progress' in message && typeof message.progress === 'number') ||
      (message.type === 'input' && 'sha256' in message && typeof message.sha256 === 'string') ||
      (message.type === 'done' && 'result' in message) ||
      (message.type === 'failed' && 'code' in message && 'message' in message);
    return isWhole ? (message as JobMessage) : undefined; // its frame was just checked
  } catch {
    return undefined; // the process died in the middle of a line
  }
}
