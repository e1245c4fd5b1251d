import type { WebSessions } from './auth/web-sessions.js';
import type { Logger } from './logger.js';

/** A running service. */
export interface RunningService {
  baseUrl: string;
  instanceId: string;
  /** The base URL of the metrics, if they have a port of their own. */
  metricsUrl?: string | undefined;
  /**
   * Stops the service: rejects new requests, waits `shutdownDrainMs` for running replies, ends the kernel processes and
   * requeues their operations. When it resolves, no timer, socket, process or lock remains.
   */
  close(): Promise<void>;
  /**
   * Resolves with a one-time code with which an owner signs in to the page; `undefined` if there is no owner. Absent if there
   * is no page.
   */
  createSignInCode?: () => Promise<string | undefined>;
}

/** What a process has started. */
export interface StartedParts {
  baseUrl: string;
  instanceId: string;
  metricsServer?: { baseUrl: string } | undefined;
  web?: Pick<WebSessions, 'createCode'> | undefined;
  logger: Logger;
  /** Ends everything. Called once, however often the service is closed. */
  stop: () => Promise<void>;
}

/** Returns the service that a process has started. */
export function createRunningService(parts: StartedParts): RunningService {
  const { baseUrl, instanceId, metricsServer, web, logger, stop } = parts;
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => {
    closing ??= stop().then(() => logger.info('Stopped'));
    return closing;
  };
  const metricsUrl = metricsServer?.baseUrl;
  return { baseUrl, instanceId, metricsUrl, close, ...(web && { createSignInCode: web.createCode }) };
}
