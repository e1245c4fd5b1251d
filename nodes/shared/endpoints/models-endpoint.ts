import type { NodeAPI } from 'node-red';
import { ClientError } from '../../../src/client/index.js';
import type { ModelEntries } from '../previews/model-entries.js';
import type { ModelEntry } from '../previews/model-entry.js';
import { findConnection } from '../service/find-connection.js';

/** The route of the list of models, below `httpAdminRoot`. */
const MODELS_PATH = '/model-processing/models';
/** Longer than a download of a preview over a slow connection. */
const DEADLINE_MS = 60_000;

type Handler = ReturnType<NodeAPI['auth']['needsPermission']>;
type Response = Parameters<Handler>[1];

/**
 * Registers the endpoints of the sidebar tab *Models*: the list of models, one of them, its picture (PNG) and its mesh (the
 * GLB of a preview; `?of=before`: that of the model it is compared with). The bytes come from the service. A local service
 * that is not running is not started: the reply is then 410, as for a file that the service has deleted.
 */
export function registerModelsEndpoints(RED: NodeAPI, entries: ModelEntries): void {
  const get = (path: string, handle: Handler) => {
    RED.httpAdmin.get(MODELS_PATH + path, protect, RED.auth.needsPermission('flows.read'), handle);
  };
  const getOfEntry = (path: string, handle: (entry: ModelEntry, response: Response, query: unknown) => void) =>
    get(`/:key${path}`, (request, response) => {
      const entry = entries.get(String(request.params.key));
      if (entry) handle(entry, response, request.query.of);
      else response.sendStatus(404);
    });
  get('', (_request, response) => {
    response.json({ models: entries.list().map(toListItem) });
  });
  getOfEntry('', (entry, response) => {
    response.json({ ...toListItem(entry), summary: entry.summary });
  });
  getOfEntry('/picture', (entry, response) => {
    void sendFile(RED, entry, entry.files.picture, 'image/png', response);
  });
  getOfEntry('/mesh', (entry, response, of) => {
    const fileId = of === 'before' ? entry.files.before : entry.files.mesh;
    void sendFile(RED, entry, fileId, 'model/gltf-binary', response);
  });
}

// Node-RED 4.1 allows other origins to read the replies.
const protect: Handler = (request, response, next) => {
  response.set({ 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' });
  if (request.headers['sec-fetch-site'] === 'cross-site') response.sendStatus(403);
  else next();
};

/** Returns an entry without its lists, and without the ids at the service. */
function toListItem({ files, service: _service, summary, ...entry }: ModelEntry) {
  const { filename, level, reasons, analysis } = summary;
  const has = { picture: 'picture' in files, mesh: 'mesh' in files, before: 'before' in files };
  return { ...entry, has, summary: { filename, level, reasons, analysis } };
}

/** Sends a file of the service. Never rejects. */
async function sendFile(
  RED: NodeAPI,
  { service }: ModelEntry,
  fileId: string | undefined,
  mediaType: string,
  response: Response,
): Promise<void> {
  const connection = findConnection(RED, service);
  if (fileId === undefined) response.sendStatus(404);
  else if (!connection || connection.problem || !connection.isServing) response.sendStatus(410);
  else {
    const disconnection = new AbortController();
    response.once('close', () => disconnection.abort());
    const signal = AbortSignal.any([disconnection.signal, AbortSignal.timeout(DEADLINE_MS)]);
    response.type(mediaType);
    try {
      await connection.client.download(fileId, { to: 'stream', stream: response }, { signal });
      response.end();
    } catch (error) {
      const isMissing = error instanceof ClientError && error.code === 'NOT_FOUND';
      if (response.headersSent) response.destroy();
      else response.sendStatus(isMissing ? 410 : 502);
    }
  }
}
