/** Durations in the lifecycle of a local service, in ms. */
export const LOCAL_SERVICE_TIMES = {
  /** How long a message waits for the service to start. */
  startTimeoutMs: 30_000,
  /** Backoff between starts: the first delay, doubled after each start, and the maximum. */
  minBackoffMs: 250,
  maxBackoffMs: 30_000,
  /** After serving for this long, the backoff starts again at its minimum. */
  recoveredMs: 60_000,
  /** How long messages wait for a locked folder: after a restart of Node-RED its old service may still be stopping. */
  lockGraceMs: 5_000,
  /** Interval between health checks of a service that is shared with another Node-RED. */
  sharedCheckMs: 2_000,
  /** Time from the stop request to the kill. The service itself allows 2 s for running replies. */
  stopTimeoutMs: 5_000,
} as const;
