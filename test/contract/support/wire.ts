import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import should from 'should';
import { createDescription, type Description } from './description.js';
import { type RawReply, sendRaw } from './raw-http.js';
import { EXAMPLE_ACCOUNT, isOwn, openTarget, type WireAccount, type WireTarget } from './wire-target.js';

const EXAMPLES = path.resolve('test/contract/examples');

function formText(text: string): string {
  return new URLSearchParams({ '': text }).toString().slice(1);
}

/** An example with another account than the one it was written out for, and so with another length of its form. */
function withAccount(text: string, account: WireAccount): string {
  if (!/^POST \/token/i.test(text) || account === EXAMPLE_ACCOUNT) return text;
  const basic = Buffer.from(`${account.clientId}:${account.clientSecret}`).toString('base64');
  const [head = '', body = ''] = text.split('\r\n\r\n');
  const form = body
    .replace(/username=[^&]*/, `username=${formText(account.username)}`)
    .replace(/password=[^&]*$/, `password=${formText(account.password)}`);
  return `${head
    .replace(/Basic \S+/, `Basic ${basic}`)
    .replace(/Content-Length: \d+/, `Content-Length: ${Buffer.byteLength(form)}`)}\r\n\r\n${form}`;
}

/** A conversation with a service, in requests that were written out byte by byte. */
export class Wire {
  readonly target: WireTarget;
  /** What stands in braces in the examples. */
  readonly values: Record<string, string> = {};
  #describe: Description | undefined;

  private constructor(target: WireTarget) {
    this.target = target;
    this.values.host = new URL(target.baseUrl).host;
  }

  /** Opens a target and gets a token. Replies of our own service are held against its description from the first one on. */
  static async open(target?: WireTarget): Promise<Wire> {
    const wire = new Wire(target ?? (await openTarget()));
    const described = isOwn || target ? await fetch(`${wire.target.baseUrl}/openapi.json`) : undefined;
    if (described) wire.#describe = createDescription(await described.json());
    wire.values.token = (await wire.sendOk('w01-token-node')).access_token;
    return wire;
  }

  /** Sends bytes as they are; the reply must be one that is described. */
  async sendBytes(text: string | Buffer): Promise<RawReply> {
    const bytes = Buffer.from(text);
    const reply = await sendRaw(this.target.baseUrl, bytes);
    const [, method = '', url = ''] = /^([A-Z]+) (\S+) HTTP/.exec(bytes.toString('latin1')) ?? [];
    if (method !== '') should(this.#describe?.(method, url, reply)).equal(undefined);
    return reply;
  }

  async send(name: string, more: Record<string, string> = {}): Promise<RawReply> {
    const text = await readFile(path.join(EXAMPLES, 'requests', `${name}.http`), 'utf8');
    const known: Record<string, string> = { ...this.values, ...more };
    const filled = text.replace(/\{(\w+)\}/g, (braced, key) => known[key] ?? braced);
    return this.sendBytes(withAccount(filled, this.target.account));
  }

  /** The body of a reply that must be 200. */
  async sendOk(name: string, more: Record<string, string> = {}) {
    const reply = await this.send(name, more);
    should(reply.status).equal(200, reply.body);
    return JSON.parse(reply.body);
  }

  /** Sends a request of the API with a JSON body, or without one. */
  request(method: string, url: string, body?: unknown, token = this.values.token): Promise<RawReply> {
    const json = body === undefined ? '' : JSON.stringify(body);
    const head = [`${method} ${url} HTTP/1.1`, `Host: ${this.values.host}`];
    if (token) head.push(`Authorization: Bearer ${token}`);
    if (json) head.push('Content-Type: application/json', `Content-Length: ${Buffer.byteLength(json)}`);
    return this.sendBytes(`${head.join('\r\n')}\r\n\r\n${json}`);
  }

  async requestOk(method: string, url: string, body?: unknown) {
    const reply = await this.request(method, url, body);
    should(reply.status).equal(200, reply.body);
    return JSON.parse(reply.body);
  }

  /** Uploads a text under a name, in the plain form of the description. */
  async upload(filename: string, content: string) {
    const body = `--b\r\nContent-Disposition: form-data; filename="${filename}"\r\nContent-Type: model/stl\r\n\r\n${content}\r\n--b--\r\n`;
    const head = [
      'POST /web-api/operation/file HTTP/1.1',
      `Host: ${this.values.host}`,
      `Authorization: Bearer ${this.values.token}`,
      'Content-Type: multipart/form-data; boundary=b',
      `Content-Length: ${Buffer.byteLength(body)}`,
    ];
    const reply = await this.sendBytes(`${head.join('\r\n')}\r\n\r\n${body}`);
    should(reply.status).equal(200, reply.body);
    return JSON.parse(reply.body);
  }

  async untilCompleted(operationId: string) {
    for (;;) {
      const status = await this.sendOk('status', { operationId });
      if (status.isCompleted) return status;
      await sleep(20);
    }
  }

  /** Starts an operation and answers its result, which must be a success. */
  async run(operation: string, body: object) {
    const { operationId } = await this.requestOk('POST', `/web-api/operation/${operation}`, body);
    const status = await this.untilCompleted(operationId);
    should(status).have.property('isSuccessful', true);
    return this.requestOk('GET', `/web-api/operation/${operationId}/${operation}/result`);
  }

  close(): Promise<void> {
    return this.target.close();
  }
}

/** Holds a reply against one that was written out from the description of the API: the same fields, of the same types. */
export async function shouldBeLike(reply: object, example: string): Promise<void> {
  const wanted: object = JSON.parse(await readFile(path.join(EXAMPLES, 'replies', `${example}.json`), 'utf8'));
  const captured = new Map<string, unknown>(Object.entries(reply));
  for (const [field, value] of Object.entries(wanted)) {
    should(typeof captured.get(field)).equal(typeof value, `${example}: ${field}`);
  }
}
