import type { Logger } from '../../logger.js';
import type { ObjectRows } from './object-rows.js';

const TOUCH_INTERVAL_MS = 60_000;

/** Keeps the rows of the objects fresh that this process is writing. */
export interface OpenObjects {
  /** Touches the object regularly, until it is removed. `onLost` is called if it is to be deleted. */
  add(key: string, onLost: () => void): void;
  remove(key: string): void;
  close(): void;
}

/** Creates the list of the objects that this process is writing. All are touched by one statement a minute. */
export function createOpenObjects(
  rows: Pick<ObjectRows, 'touch'>,
  logger: Pick<Logger, 'warn'>,
  intervalMs = TOUCH_INTERVAL_MS,
): OpenObjects {
  const objects = new Map<string, () => void>();

  const touchAll = async (): Promise<void> => {
    if (objects.size === 0) return;
    const touched = [...objects];
    const open = new Set(await rows.touch(touched.map(([key]) => key)));
    for (const [key, onLost] of touched) if (!open.has(key) && objects.get(key) === onLost) onLost();
  };

  // A failure leaves them untouched until the next time. Nobody deletes them for an hour.
  const onFailure = (err: unknown): void => logger.warn({ err }, 'Could not touch the open objects');
  const timer = setInterval(() => void touchAll().catch(onFailure), intervalMs).unref();
  return {
    add: (key, onLost) => void objects.set(key, onLost),
    remove: (key) => void objects.delete(key),
    close: () => clearInterval(timer),
  };
}
