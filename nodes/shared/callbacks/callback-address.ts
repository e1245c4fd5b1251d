import { CALLBACK_PATH } from './callback-route.js';

/** Where a service shall send its callbacks: what stands before the last part of each address. Or what is wrong with the setting. */
export type CallbackAddress = { address: string; problem?: never } | { address?: never; problem: string };

/**
 * Makes the address for callbacks of the setting `callbackUrl`, the public address of this Node-RED without a path. `undefined` where it
 * is empty: then there are none.
 */
export function parseCallbackAddress(callbackUrl: string, httpNodeRoot: unknown): CallbackAddress | undefined {
  const input = callbackUrl.trim();
  if (input === '') return undefined;
  const url = URL.canParse(input) ? new URL(input) : undefined;
  const isWhole = url && /^https?:$/.test(url.protocol) && url.pathname === '/' && !url.search && !url.hash;
  if (!isWhole || url.username || url.password)
    return {
      problem: `"Callbacks at" must be the http or https address of this Node-RED without a path, as https://nodes.example.com`,
    };
  if (httpNodeRoot === false)
    return { problem: '"Callbacks at" must be empty: this Node-RED serves no HTTP for nodes (httpNodeRoot is false)' };
  const root = typeof httpNodeRoot === 'string' ? httpNodeRoot.replace(/^\/+|\/+$/g, '') : '';
  return { address: url.origin + (root === '' ? '' : `/${root}`) + CALLBACK_PATH };
}
