/** Lengths of time in the life of a local service, in ms. */
export const LOCAL_SERVICE_TIMES = {
  /** How long a message waits for the service to come up. */
  startTimeoutMs: 30_000,
  /** Pauses between starts: the first, doubled each time, up to the longest. */
  minBackoffMs: 250,
  maxBackoffMs: 30_000,
  /** A service that ran this long has recovered: the next pause is the first again. */
  recoveredMs: 60_000,
  /** How long messages wait for a locked folder: a Node-RED that was started again finds its old service still stopping. */
  lockGraceMs: 5_000,
  /** How often a service that is shared with another Node-RED is looked at. */
  sharedCheckMs: 2_000,
  /** From the request to stop until it is killed. The service itself takes 2 s for running replies. */
  stopTimeoutMs: 5_000,
} as const;
