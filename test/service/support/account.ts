import { setTimeout as sleep } from 'node:timers/promises';
import { readCredentials } from './running.js';

function basic(id: string, secret: string): string {
  return `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`;
}

/** A reply with its body as text or parsed JSON. */
export interface Reply {
  status: number;
  headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests read bodies of any shape
  body: any;
}

async function toReply(response: Response): Promise<Reply> {
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.startsWith('application/json');
  return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text };
}

/** Requests tokens with a form, by default as the client in `credentials.json`. `endpoint`: default: `Token`. */
export async function askForToken(
  dataFolder: string,
  form: Record<string, string>,
  client?: { id: string; secret: string },
  endpoint: 'Token' | 'Revoke' = 'Token',
): Promise<Reply> {
  const { baseUrl, clientId, clientSecret } = await readCredentials(dataFolder);
  const authorization = client ? basic(client.id, client.secret) : basic(clientId, clientSecret);
  const body = new URLSearchParams(form);
  return toReply(await fetch(`${baseUrl}/${endpoint}`, { method: 'POST', headers: { authorization }, body }));
}

/** Returns functions that call the API as the user in `credentials.json`, with fetch only. */
export async function logIn(dataFolder: string) {
  const { baseUrl, username, password } = await readCredentials(dataFolder);
  const { body } = await askForToken(dataFolder, { grant_type: 'password', username, password });
  return callsWith(baseUrl, body.access_token);
}

export function callsWith(baseUrl: string, token: string) {
  const authorization = `Bearer ${token}`;
  const api = `${baseUrl}/web-api/operation`;
  const get = async (route: string, headers: Record<string, string> = {}): Promise<Reply> =>
    toReply(await fetch(`${api}/${route}`, { headers: { authorization, ...headers } }));
  const post = async (route: string, body: unknown, headers: Record<string, string> = {}): Promise<Reply> =>
    toReply(
      await fetch(`${api}/${route}`, {
        method: 'POST',
        headers: { authorization, 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
      }),
    );
  const remove = async (route: string): Promise<Reply> =>
    toReply(await fetch(`${api}/${route}`, { method: 'DELETE', headers: { authorization } }));
  const upload = async (
    bytes: Uint8Array | string,
    filename: string,
    headers: Record<string, string> = {},
  ): Promise<Reply> => {
    const form = new FormData();
    form.append('file', new Blob([bytes as BlobPart]), filename);
    return toReply(await fetch(`${api}/file`, { method: 'POST', headers: { authorization, ...headers }, body: form }));
  };
  const untilCompleted = async (operationId: string): Promise<Reply> => {
    for (;;) {
      const reply = await get(`${operationId}/status`);
      if (reply.status !== 200 || reply.body.isCompleted) return reply;
      await sleep(20);
    }
  };
  /** Starts an operation, waits until it has completed and requests its result. */
  const run = async (
    operation: string,
    body: unknown,
  ): Promise<{ operationId: string; status: Reply; result: Reply }> => {
    const started = await post(operation, body);
    if (started.status !== 200) throw new Error(`Could not start ${operation}: ${JSON.stringify(started.body)}`);
    const { operationId } = started.body;
    const status = await untilCompleted(operationId);
    return { operationId, status, result: await get(`${operationId}/${operation}/result`) };
  };
  /** Uploads a file and imports it. Resolves with the id of the model. */
  const importModel = async (bytes: Uint8Array | string, filename: string): Promise<string> => {
    const { fileId } = (await upload(bytes, filename)).body;
    return (await run('import', { fileId })).result.body.resultId;
  };
  return { baseUrl, token, get, post, remove, upload, untilCompleted, run, importModel };
}

export type Calls = ReturnType<typeof callsWith>;
