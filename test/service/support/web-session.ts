import { type RawReply, sendRaw } from './raw-reply.js';

/** The headers with which a browser marks a request of the page itself. */
export const SAME_ORIGIN = 'Sec-Fetch-Site: same-origin';

/** Returns the value of a header of a reply; empty if it has none. */
export function headerOf({ headers }: RawReply, name: string): string {
  const prefix = `${name}: `;
  return headers.find((line) => line.toLowerCase().startsWith(prefix))?.slice(prefix.length) ?? '';
}

/** Signs in as a browser does. Resolves with the reply. */
export function postSession(port: number, body: object, headers: readonly string[] = [SAME_ORIGIN]): Promise<RawReply> {
  const head = ['POST /session HTTP/1.1', `Host: 127.0.0.1:${port}`, 'Content-Type: application/json', ...headers];
  return sendRaw(port, head, JSON.stringify(body));
}

/** Signs in. Resolves with the header `Cookie` of the session. */
export async function signInToPage(port: number, username: string, password: string): Promise<string> {
  const reply = await postSession(port, { username, password });
  if (reply.status !== 204) throw new Error(`Could not sign in: ${reply.status} ${reply.body}`);
  return `Cookie: ${headerOf(reply, 'set-cookie').split(';')[0]}`;
}
