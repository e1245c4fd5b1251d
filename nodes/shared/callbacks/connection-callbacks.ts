import type { NodeAPI } from 'node-red';
import { parseCallbackAddress } from './callback-address.js';
import type { CallbackReceiver } from './callback-receiver.js';
import { findOwnAddress } from './own-address.js';

/** The callbacks that the connection of a config node requests. */
export interface ConnectionCallbacks {
  receiver: CallbackReceiver;
  /** The id of the config node, which stays the same over redeploys. */
  owner: string;
  /** Returns the URL prefix, or `undefined` while no callbacks can be received. */
  address: () => string | undefined;
  /** Whether a user set the address. It is then relied on from the start, and a warning says if it does not work. */
  isAddressSet: boolean;
}

/**
 * Returns the callbacks for the settings of a config node, or the problem of its `callbackUrl`. The local service uses
 * the address of this Node-RED instance. A remote service uses `callbackUrl`; without one there are no callbacks, and
 * URLs from before the deploy are withdrawn.
 */
export function createConnectionCallbacks(
  RED: NodeAPI,
  receiver: CallbackReceiver,
  owner: string,
  { service, callbackUrl }: { service: 'local' | 'remote'; callbackUrl: string },
): { callbacks?: ConnectionCallbacks | undefined; problem?: string | undefined } {
  if (service === 'local')
    return { callbacks: { receiver, owner, address: () => findOwnAddress(RED), isAddressSet: false } };
  const { address, problem } = parseCallbackAddress(callbackUrl, Object(RED.settings).httpNodeRoot) ?? {};
  if (address !== undefined) return { callbacks: { receiver, owner, address: () => address, isAddressSet: true } };
  receiver.withdraw({ owner });
  return { problem };
}
