import { request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Credentials } from '../../../src/service/data-folder/credentials.js';
import { computeDigest } from '../support/acknowledgment-log.js';

/** Something that was answered with success, and therefore must survive a power loss. */
export type Fact =
  /** A stored file. `mayExpire`: it is old, and is deleted by the service of the trace. */
  | { type: 'file'; id: string; sha256: string; mayExpire?: true }
  /** A file that was deleted. */
  | { type: 'deleted'; id: string }
  | { type: 'started'; id: string; kind: string }
  /** A successful operation. `result`: the reply with its result. */
  | { type: 'completed'; id: string; kind: string; result: { resultId?: string; fileId?: string } }
  | { type: 'account'; username: string; password: string }
  /** A copy of the data folder. It contains what was answered before this line of the shell. */
  | { type: 'backup'; name: string; startedBy: string }
  /** `credentials.json` was written. */
  | { type: 'credentials'; clientId: string; clientSecret: string; username: string; password: string };

/**
 * A fact, and how the trace shows that it was answered: by a reply to this address of the client, or by this line of the
 * shell. `undefined`: before the trace.
 */
export type Answer = Fact & { answeredBy: string | undefined };

/** A reply, with the address of the client. */
export interface TracedReply {
  status: number;
  body: Buffer;
  address: string;
}

/** The parts of a request besides its address. Default: a GET request. */
export interface TracedRequest {
  method?: string;
  headers?: Record<string, string>;
  body?: Uint8Array | string;
}

/** Sends a request. */
export type SendTraced = (url: string, request?: TracedRequest) => Promise<TracedReply>;

/**
 * Returns a function that sends each request from an address of its own, so that its reply can be found in a trace.
 * Ports would not be unique, because Linux reuses them.
 */
export function createSender(): SendTraced {
  let count = 0;
  return (url, { method = 'GET', headers = {}, body = '' } = {}) => {
    count += 1;
    const address = `127.1.${count >> 8}.${count & 255}`;
    return new Promise((resolve, reject) => {
      const options = { method, headers, agent: false, localAddress: address };
      const outgoing = request(url, options, (reply) => {
        const chunks: Buffer[] = [];
        reply.on('data', (chunk: Buffer) => chunks.push(chunk));
        reply.on('end', () => resolve({ status: reply.statusCode ?? 0, body: Buffer.concat(chunks), address }));
        reply.on('error', reject);
      });
      outgoing.on('error', reject);
      outgoing.setHeader('content-length', Buffer.byteLength(body));
      outgoing.end(body);
    });
  };
}

function readJson(reply: TracedReply, what: string) {
  if (reply.status !== 200) throw new Error(`Unexpected reply to ${what}: ${reply.status}, ${reply.body}`);
  return { ...Object(JSON.parse(reply.body.toString())), address: reply.address };
}

/** A client that notes what the service answers. */
export class Witness {
  readonly answers: Answer[] = [];
  readonly #api: string;
  readonly #authorization: string;

  readonly #send: SendTraced;

  constructor(baseUrl: string, accessToken: string, send: SendTraced) {
    this.#send = send;
    this.#api = `${baseUrl}/web-api/operation`;
    this.#authorization = `Bearer ${accessToken}`;
  }

  #get(path: string): Promise<TracedReply> {
    return this.#send(`${this.#api}/${path}`, { headers: { authorization: this.#authorization } });
  }

  /** Uploads a file. Returns its id. */
  async upload(bytes: Uint8Array): Promise<string> {
    const boundary = 'power-loss';
    const head = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="part.stl"\r\n\r\n`;
    const body = Buffer.concat([Buffer.from(head), bytes, Buffer.from(`\r\n--${boundary}--\r\n`)]);
    const headers = {
      authorization: this.#authorization,
      'content-type': `multipart/form-data; boundary=${boundary}`,
    };
    const { fileId, address } = readJson(
      await this.#send(`${this.#api}/file`, { method: 'POST', headers, body }),
      'an upload',
    );
    this.answers.push({ type: 'file', id: fileId, sha256: computeDigest(bytes), answeredBy: address });
    return fileId;
  }

  /** Runs an operation to its end. Returns the id of its output. */
  async run(kind: string, parameters: object): Promise<string> {
    const headers = { authorization: this.#authorization, 'content-type': 'application/json' };
    const body = JSON.stringify(parameters);
    const started = readJson(
      await this.#send(`${this.#api}/${kind}`, { method: 'POST', headers, body }),
      `a start of ${kind}`,
    );
    const id: string = started.operationId;
    this.answers.push({ type: 'started', id, kind, answeredBy: started.address });
    for (;;) {
      const status = readJson(await this.#get(`${id}/status`), 'a status request');
      if (!status.isCompleted) {
        await sleep(20);
        continue;
      }
      if (!status.isSuccessful) throw new Error(`${kind} failed: ${status.error?.message}`);
      const { address: _address, ...result } = readJson(await this.#get(`${id}/${kind}/result`), 'a result request');
      this.answers.push({ type: 'completed', id, kind, result, answeredBy: status.address });
      return result.resultId ?? result.fileId;
    }
  }

  /** Downloads a file. */
  async download(id: string): Promise<void> {
    const { status, body, address } = await this.#get(`file/${id}`);
    if (status === 200) this.answers.push({ type: 'file', id, sha256: computeDigest(body), answeredBy: address });
    else if (status === 410) this.answers.push({ type: 'deleted', id, answeredBy: address });
    else throw new Error(`Unexpected reply to a download: ${status}, ${body}`);
  }
}

/** Logs in with the account in a `credentials.json`. `send`: default: requests that are not traced. */
export async function logInWitness(credentials: Credentials, send = createSender()): Promise<Witness> {
  const { baseUrl, clientId, clientSecret, username, password } = credentials;
  const authorization = `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`;
  const body = new URLSearchParams({ grant_type: 'password', username, password }).toString();
  const reply = await send(`${baseUrl}/Token`, { method: 'POST', headers: { authorization }, body });
  return new Witness(baseUrl, readJson(reply, 'a token request').access_token, send);
}
