import type { NodeAPI } from 'node-red';
import { findConnection } from '../service/find-connection.js';

/** The route for the formats and units of a deployed service, by the id of its config node, below `httpAdminRoot`. */
const FORMATS_PATH = '/model-processing/formats/:id';
/** Short, because a dialog is open. It has a built-in list. */
const DEADLINE_MS = 5_000;

/**
 * Registers the endpoint that returns the formats and units of a service: `{ exportFormats, measurementUnits }`. A list
 * is empty if the service does not return it. Both are empty if there is no such service, if it does not reply, and for
 * a local service that is not running: a dialog does not start it.
 */
export function registerFormatsEndpoint(RED: NodeAPI): void {
  RED.httpAdmin.get(FORMATS_PATH, RED.auth.needsPermission('flows.read'), (request, response) => {
    const disconnection = new AbortController();
    response.once('close', () => disconnection.abort());
    const signal = AbortSignal.any([disconnection.signal, AbortSignal.timeout(DEADLINE_MS)]);
    void describeService(RED, request.params.id, signal).then((lists) => {
      if (!disconnection.signal.aborted) response.json(lists);
    });
  });
}

async function describeService(RED: NodeAPI, id: unknown, signal: AbortSignal) {
  const connection = findConnection(RED, id);
  if (!connection || connection.problem || !connection.isServing) return NOTHING;
  try {
    const { exportFormats, measurementUnits } = await connection.client.describe({ signal });
    return { exportFormats, measurementUnits };
  } catch {
    // Messages to the service will raise the error.
    return NOTHING;
  }
}

const NOTHING = { exportFormats: [], measurementUnits: [] };
