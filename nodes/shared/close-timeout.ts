import type { NodeAPI } from 'node-red';

/** The time a closing node waits for its aborted work to end. */
const CLOSE_TIMEOUT_MS = 1_000;

/**
 * Returns how long a closing node may wait for its work, in ms: a second, and at most half of the time that Node-RED waits
 * (`nodeCloseTimeout` in `settings.js`).
 */
export function findCloseTimeout({ settings }: Pick<NodeAPI, 'settings'>): number {
  const { nodeCloseTimeout } = Object(settings);
  return nodeCloseTimeout > 0 ? Math.min(CLOSE_TIMEOUT_MS, nodeCloseTimeout / 2) : CLOSE_TIMEOUT_MS;
}
