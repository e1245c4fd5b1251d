import { checkPublicUrl } from '../node/field-rules.js';
import { CALLBACK_PATH } from './callback-route.js';
import { formatRoot } from './own-address.js';

/** The URL prefix of callbacks, to which a token is appended, or the problem of the setting. */
export type CallbackAddress = { address: string; problem?: never } | { address?: never; problem: string };

/**
 * Returns the callback address for the setting `callbackUrl`, the public URL of this Node-RED instance without a path.
 * Returns `undefined` if the setting is empty: no callbacks are used.
 */
export function parseCallbackAddress(callbackUrl: string, httpNodeRoot: unknown): CallbackAddress | undefined {
  const input = callbackUrl.trim();
  if (input === '') return undefined;
  if (checkPublicUrl(input))
    return {
      problem:
        'Invalid Callback URL: expected the http or https URL of this Node-RED instance without a path, such as https://nodes.example.com.',
    };
  if (httpNodeRoot === false)
    return {
      problem:
        'Invalid Callback URL: this Node-RED instance serves no HTTP for nodes (httpNodeRoot is false). Leave the field empty.',
    };
  return { address: new URL(input).origin + formatRoot(httpNodeRoot) + CALLBACK_PATH };
}
