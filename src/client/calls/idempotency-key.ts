import { randomUUID } from 'node:crypto';
import type { CallSpec } from './session.js';

/**
 * Returns a call with a new idempotency key (draft-ietf-httpapi-idempotency-key-header), the same in all of its
 * attempts, unless the content of its body changed: a service refuses a known key with another body. The service performs such a call once, so it can be repeated if its reply was lost.
 */
export function addIdempotencyKey<T>(spec: CallSpec<T>): CallSpec<T> {
  let key = `"${randomUUID()}"`;
  let version: string | undefined;
  return {
    ...spec,
    isIdempotent: true,
    prepare: async () => {
      const request = await spec.prepare();
      if (version !== undefined && request.version !== version) key = `"${randomUUID()}"`;
      version = request.version;
      return { ...request, headers: { ...request.headers, 'Idempotency-Key': key } };
    },
  };
}
