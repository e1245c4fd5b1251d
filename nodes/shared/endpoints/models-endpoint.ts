import type { NodeAPI } from 'node-red';
import { ClientError } from '../../../src/client/index.js';
import type { ModelEntries } from '../previews/model-entries.js';
import type { ModelEntry } from '../previews/model-entry.js';
import { ViewPictures } from '../previews/view-pictures.js';
import type { Connection } from '../service/connection.js';
import { findConnection } from '../service/find-connection.js';

/** The route of the list of models, below `httpAdminRoot`. */
const MODELS_PATH = '/model-processing/models';
/** Longer than a download of a preview over a slow connection. */
const DEADLINE_MS = 60_000;

type Handler = ReturnType<NodeAPI['auth']['needsPermission']>;
type Query = Readonly<Record<string, unknown>>;
/** Returns the id of a file of an entry; `undefined` if it has none. */
type FileIdReader = (connection: Connection) => string | undefined | Promise<string | undefined>;
type Response = Parameters<Handler>[1];

/**
 * Registers the endpoints of the sidebar tab *Models*: the list of models, one of them, its picture (PNG; `?view=0` to `7`:
 * from one of eight directions, drawn when it is first requested) and its mesh (the GLB of a preview; `?of=before`: that of
 * the model it is compared with). The bytes come from the service. A local service that is not running is not started: the
 * reply is then 410, as for a file that the service has deleted.
 */
export function registerModelsEndpoints(RED: NodeAPI, entries: ModelEntries): void {
  const views = new ViewPictures();
  const get = (path: string, handle: Handler) => {
    RED.httpAdmin.get(MODELS_PATH + path, protect, RED.auth.needsPermission('flows.read'), handle);
  };
  const getOfEntry = (path: string, handle: (entry: ModelEntry, response: Response, query: Query) => void) =>
    get(`/:key${path}`, (request, response) => {
      const entry = entries.get(String(request.params.key));
      if (entry) handle(entry, response, request.query);
      else response.sendStatus(404);
    });
  get('', (_request, response) => {
    response.json({ models: entries.list().map(toListItem) });
  });
  getOfEntry('', (entry, response) => {
    response.json({ ...toListItem(entry), summary: entry.summary });
  });
  getOfEntry('/picture', (entry, response, { view }) => {
    const readId: FileIdReader = (connection) =>
      view === undefined ? entry.files.picture : views.read(connection, entry, Number(view));
    void sendFile(RED, entry, readId, 'image/png', response);
  });
  getOfEntry('/mesh', (entry, response, { of }) => {
    void sendFile(RED, entry, () => entry.files[of === 'before' ? 'before' : 'mesh'], 'model/gltf-binary', response);
  });
}

// Node-RED 4.1 allows other origins to read the replies: without adminAuth, any page that the browser of a user shows could
// list the models. Pages of the same site are refused, too: they may be on another port or host. Browsers send
// Sec-Fetch-Site to HTTPS and to localhost only, and Origin with requests to other origins.
const protect: Handler = (request, response, next) => {
  response.set({ 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' });
  const { 'sec-fetch-site': site, origin, host } = request.headers;
  const isOwn = site === undefined ? isOriginOf(origin, host) : site === 'same-origin' || site === 'none';
  if (isOwn) next();
  else response.sendStatus(403);
};

/** Returns whether a request with this Origin header may come from a page of this host. */
function isOriginOf(origin: string | undefined, host: string | undefined): boolean {
  return origin === undefined || (URL.canParse(origin) && new URL(origin).host === host);
}

/** Returns an entry without its lists, and without the ids at the service. */
function toListItem({ files, service: _service, modelId: _modelId, summary, ...entry }: ModelEntry) {
  const { filename, level, reasons, analysis } = summary;
  const has = { picture: 'picture' in files, mesh: 'mesh' in files, before: 'before' in files };
  return { ...entry, has, summary: { filename, level, reasons, analysis } };
}

/** Sends a file of the service. Never rejects. */
async function sendFile(
  RED: NodeAPI,
  { service }: ModelEntry,
  readId: FileIdReader,
  mediaType: string,
  response: Response,
): Promise<void> {
  const connection = findConnection(RED, service);
  if (!connection || connection.problem || !connection.isServing) response.sendStatus(410);
  else {
    const disconnection = new AbortController();
    response.once('close', () => disconnection.abort());
    const signal = AbortSignal.any([disconnection.signal, AbortSignal.timeout(DEADLINE_MS)]);
    try {
      const fileId = await readId(connection);
      if (fileId === undefined) {
        response.sendStatus(404);
        return;
      }
      response.type(mediaType);
      await connection.client.download(fileId, { to: 'stream', stream: response }, { signal });
      response.end();
    } catch (error) {
      const isMissing = error instanceof ClientError && error.code === 'NOT_FOUND';
      if (response.headersSent) response.destroy();
      else response.sendStatus(isMissing ? 410 : 502);
    }
  }
}
