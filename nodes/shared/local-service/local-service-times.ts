/** Durations in the lifecycle of a local service, in ms. */
export const LOCAL_SERVICE_TIMES = {
  /** How long a message waits for the service to start. */
  startTimeoutMs: 30_000,
  /** First delay between starts. It doubles after each start. */
  minBackoffMs: 250,
  /** Maximum delay between starts. */
  maxBackoffMs: 30_000,
  /** Uptime after which the backoff is reset to its minimum. */
  backoffResetMs: 60_000,
  /**
   * How long messages wait for a locked data folder. After a restart of Node-RED, its previous service may still be
   * stopping.
   */
  lockGraceMs: 5_000,
  /** Interval between health checks of a service that another Node-RED instance started. */
  healthCheckIntervalMs: 2_000,
  /** Time from the stop request to the kill. The service itself gives replies in progress 2 s to finish. */
  stopTimeoutMs: 5_000,
} as const;
