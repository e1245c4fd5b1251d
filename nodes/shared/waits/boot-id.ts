import { readFileSync } from 'node:fs';
import os from 'node:os';

/** Returns an id of the current boot of this machine; it differs after the next boot. */
export function readBootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    // Not Linux: the time of the boot, rounded to ten minutes to tolerate small corrections of the clock. A larger
    // correction counts as another boot.
    return new Date(Math.round((Date.now() - os.uptime() * 1000) / 600_000) * 600_000).toISOString();
  }
}
