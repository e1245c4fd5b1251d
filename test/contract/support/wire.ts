import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import should from 'should';
import { createDescription, type Description } from './description.js';
import { type RawReply, sendRaw } from './raw-http.js';
import { EXAMPLE_ACCOUNT, isOwn, openTarget, type WireAccount, type WireTarget } from './wire-target.js';

const EXAMPLES = path.resolve('test/contract/examples');

function encodeFormValue(text: string): string {
  return new URLSearchParams({ '': text }).toString().slice(1);
}

/** Replaces the account of an example, and updates the length of its form. */
function withAccount(text: string, account: WireAccount): string {
  if (!/^POST \/token/i.test(text) || account === EXAMPLE_ACCOUNT) return text;
  const basic = Buffer.from(`${account.clientId}:${account.clientSecret}`).toString('base64');
  const [head = '', body = ''] = text.split('\r\n\r\n');
  const form = body
    .replace(/username=[^&]*/, `username=${encodeFormValue(account.username)}`)
    .replace(/password=[^&]*$/, `password=${encodeFormValue(account.password)}`);
  return `${head
    .replace(/Basic \S+/, `Basic ${basic}`)
    .replace(/Content-Length: \d+/, `Content-Length: ${Buffer.byteLength(form)}`)}\r\n\r\n${form}`;
}

/** Sends recorded requests byte by byte to a service. */
export class Wire {
  readonly target: WireTarget;
  /** Placeholder in the examples → its value. */
  readonly values: Record<string, string> = {};
  #describe: Description | undefined;

  private constructor(target: WireTarget) {
    this.target = target;
    this.values.host = new URL(target.baseUrl).host;
  }

  /** Opens a target and requests a token. Validates all replies of our own service against its description. */
  static async open(target?: WireTarget): Promise<Wire> {
    const wire = new Wire(target ?? (await openTarget()));
    const description = isOwn || target ? await fetch(`${wire.target.baseUrl}/openapi.json`) : undefined;
    if (description) wire.#describe = createDescription(await description.json());
    wire.values.token = (await wire.sendOk('w01-token-node')).access_token;
    return wire;
  }

  /** Sends bytes verbatim. Asserts that the reply is valid. */
  async sendBytes(text: string | Buffer): Promise<RawReply> {
    const bytes = Buffer.from(text);
    const reply = await sendRaw(this.target.baseUrl, bytes);
    const [, method = '', url = ''] = /^([A-Z]+) (\S+) HTTP/.exec(bytes.toString('latin1')) ?? [];
    if (method !== '') should(this.#describe?.(method, url, reply)).equal(undefined);
    return reply;
  }

  /** Sends an example, with its placeholders replaced by `values` and `more`. */
  async send(name: string, more: Record<string, string> = {}): Promise<RawReply> {
    const text = await readFile(path.join(EXAMPLES, 'requests', `${name}.http`), 'utf8');
    const values: Record<string, string> = { ...this.values, ...more };
    const filled = text.replace(/\{(\w+)\}/g, (placeholder, key) => values[key] ?? placeholder);
    return this.sendBytes(withAccount(filled, this.target.account));
  }

  /** Sends an example. Asserts the status 200, and returns the body. */
  async sendOk(name: string, more: Record<string, string> = {}) {
    const reply = await this.send(name, more);
    should(reply.status).equal(200, reply.body);
    return JSON.parse(reply.body);
  }

  /** Sends a request with a JSON body or without a body. */
  request(method: string, url: string, body?: unknown, token = this.values.token): Promise<RawReply> {
    const json = body === undefined ? '' : JSON.stringify(body);
    const head = [`${method} ${url} HTTP/1.1`, `Host: ${this.values.host}`];
    if (token) head.push(`Authorization: Bearer ${token}`);
    if (json) head.push('Content-Type: application/json', `Content-Length: ${Buffer.byteLength(json)}`);
    return this.sendBytes(`${head.join('\r\n')}\r\n\r\n${json}`);
  }

  /** Sends a request like `request`. Asserts the status 200, and returns the body. */
  async requestOk(method: string, url: string, body?: unknown) {
    const reply = await this.request(method, url, body);
    should(reply.status).equal(200, reply.body);
    return JSON.parse(reply.body);
  }

  /** Uploads a file in the form that the API description shows. */
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

  /** Polls an operation until it is completed. Returns its status. */
  async untilCompleted(operationId: string) {
    for (;;) {
      const status = await this.sendOk('status', { operationId });
      if (status.isCompleted) return status;
      await sleep(20);
    }
  }

  /** Runs an operation. Asserts that it is successful, and returns its result. */
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

/** Asserts that a reply has the fields of a recorded one, of the same types. */
export async function shouldBeLike(reply: object, example: string): Promise<void> {
  const expected: object = JSON.parse(await readFile(path.join(EXAMPLES, 'replies', `${example}.json`), 'utf8'));
  const fields = new Map<string, unknown>(Object.entries(reply));
  for (const [field, value] of Object.entries(expected)) {
    should(typeof fields.get(field)).equal(typeof value, `${example}: ${field}`);
  }
}
