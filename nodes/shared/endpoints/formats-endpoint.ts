import type { NodeAPI } from 'node-red';
import { findConnection } from '../service/find-connection.js';

/** Where dialogs ask what a deployed service knows, by the id of its config node, below `httpAdminRoot`. */
const FORMATS_PATH = '/model-processing/formats/:id';
/** A dialog stands open meanwhile, and has a list of its own. */
const DEADLINE_MS = 5_000;

/**
 * Lets dialogs offer what the service knows: `{ exportFormats, measurementUnits }`, each as far as it says so. Lists are empty where
 * there is no such service, where it does not answer, and for a local one that nobody has started: a dialog is no reason to do so.
 */
export function registerFormatsEndpoint(RED: NodeAPI): void {
  RED.httpAdmin.get(FORMATS_PATH, RED.auth.needsPermission('flows.read'), (request, response) => {
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    const signal = AbortSignal.any([gone.signal, AbortSignal.timeout(DEADLINE_MS)]);
    void describe(RED, request.params.id, signal).then((lists) => {
      if (!gone.signal.aborted) response.json(lists);
    });
  });
}

async function describe(RED: NodeAPI, id: unknown, signal: AbortSignal) {
  const connection = findConnection(RED, id);
  if (!connection || connection.problem || !connection.isServing) return NOTHING;
  try {
    const { exportFormats, measurementUnits } = await connection.client.describe({ signal });
    return { exportFormats, measurementUnits };
  } catch {
    // Messages will say what is wrong with it.
    return NOTHING;
  }
}

const NOTHING = { exportFormats: [], measurementUnits: [] };
