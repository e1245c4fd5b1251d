import { createHmac } from 'node:crypto';
import { StartError } from '../start-error.js';

const MIN_SECRET_BYTES = 24;
const MAX_SECRET_BYTES = 64;

/** What a callback is signed with: `id` is the same for each try, `atMs` is the time of the try. */
export type Signer = (id: string, body: string, atMs: number) => Record<string, string>;

/**
 * Reads a secret of Standard Webhooks (`whsec_` and 24 to 64 bytes in Base64) and answers what makes the headers of a callback:
 * `webhook-id`, `webhook-timestamp` (seconds) and `webhook-signature`. Throws `USAGE`, which shows nothing of the secret.
 */
export function createSigner(text: string): Signer {
  const encoded = /^whsec_([A-Za-z0-9+/]+=*)$/.exec(text.trim())?.[1] ?? '';
  const key = Buffer.from(encoded, 'base64');
  if (key.length < MIN_SECRET_BYTES || key.length > MAX_SECRET_BYTES) {
    const message = `the secret for callbacks is whsec_ and ${MIN_SECRET_BYTES} to ${MAX_SECRET_BYTES} random bytes in Base64`;
    throw new StartError('USAGE', message);
  }
  return (id, body, atMs) => {
    const timestamp = String(Math.floor(atMs / 1000));
    const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
    return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` };
  };
}
