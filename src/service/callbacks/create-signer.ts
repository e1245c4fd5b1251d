import { createHmac } from 'node:crypto';
import { StartError } from '../start-error.js';

const MIN_SECRET_BYTES = 24;
const MAX_SECRET_BYTES = 64;

/**
 * Returns the signature headers of a callback. `id` is the same for each attempt, `timeMs` is the time of the attempt.
 */
export type Signer = (id: string, body: string, timeMs: number) => Record<string, string>;

/**
 * Creates a signer from a secret of Standard Webhooks (`whsec_` and 24 to 64 bytes in Base64). It returns the headers
 * `webhook-id`, `webhook-timestamp` (seconds) and `webhook-signature` (HMAC-SHA256). Throws `USAGE`, without the secret
 * in the message.
 */
export function createSigner(text: string): Signer {
  const encoded = /^whsec_([A-Za-z0-9+/]+=*)$/.exec(text.trim())?.[1] ?? '';
  const key = Buffer.from(encoded, 'base64');
  if (key.length < MIN_SECRET_BYTES || key.length > MAX_SECRET_BYTES) {
    const message = `Invalid callback secret: expected whsec_ and ${MIN_SECRET_BYTES} to ${MAX_SECRET_BYTES} random bytes in Base64.`;
    throw new StartError('USAGE', message);
  }
  return (id, body, timeMs) => {
    const timestamp = String(Math.floor(timeMs / 1000));
    const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
    return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` };
  };
}
