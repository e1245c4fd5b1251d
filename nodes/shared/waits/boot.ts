import { readFileSync } from 'node:fs';
import os from 'node:os';

/** Returns a name for the time since this machine was started: the next start gives another one. */
export function bootName(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    // Not Linux. To ten minutes, for a clock that is set now and then; after a larger step it is taken for another start.
    return new Date(Math.round((Date.now() - os.uptime() * 1000) / 600_000) * 600_000).toISOString();
  }
}
