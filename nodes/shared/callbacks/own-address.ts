import net from 'node:net';
import tls from 'node:tls';
import type { NodeAPI } from 'node-red';
import { CALLBACK_PATH } from './callback-route.js';

/** Wildcard address of a server → address at which it is reached from the same machine. */
const LOOPBACK: Record<string, string> = { '0.0.0.0': '127.0.0.1', '::': '[::1]', '::1': '[::1]' };

/**
 * Returns the URL prefix at which a program on this machine reaches the callback route of this Node-RED instance.
 * Returns `undefined` while the server does not listen yet, and if callbacks could not be received: Node-RED serves no
 * HTTP for nodes, listens on a socket file or on one external address, or requires TLS or a login.
 */
export function findOwnAddress({ server, settings }: Pick<NodeAPI, 'server' | 'settings'>): string | undefined {
  const { httpNodeRoot, httpNodeAuth } = Object(settings);
  // The certificate of a TLS server is for another name than the loopback address.
  const isTls: boolean = server instanceof tls.Server;
  if (httpNodeRoot === false || httpNodeAuth || isTls) return undefined;
  // An application that embeds Node-RED may have no server.
  const address = server instanceof net.Server ? server.address() : undefined;
  if (typeof address !== 'object' || address === null) return undefined; // not listening, or on a socket file
  const host = LOOPBACK[address.address] ?? (address.address.startsWith('127.') ? address.address : undefined);
  return host && `http://${host}:${address.port}${formatRoot(httpNodeRoot)}${CALLBACK_PATH}`;
}

/** Returns `httpNodeRoot` of `settings.js` without a slash at its end. */
export function formatRoot(httpNodeRoot: unknown): string {
  const root = typeof httpNodeRoot === 'string' ? httpNodeRoot.replace(/^\/+|\/+$/g, '') : '';
  return root === '' ? '' : `/${root}`;
}
