import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

/** Returns 256 random bits as base64url, which needs no encoding in URLs and forms. */
export function createSecret(): string {
  return randomBytes(32).toString('base64url');
}

/** Returns the SHA-256 of a random secret, to be stored. Salt and a slow hash are not needed for 256 random bits. */
export function hashSecret(secret: string): string {
  return createHash('sha256').update(secret).digest('base64url');
}

/** Returns whether two strings are equal, in a time that does not depend on where they differ. */
export function timingSafeEqualStrings(left: string, right: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(left), digest(right));
}

/**
 * Returns the proof that a service knows the key in `credentials.json`: HMAC-SHA-256 (RFC 2104) of a nonce of the client and
 * the port that its request came to. With the port, no other program can pass the nonce on to the service.
 */
export function createIdentityProof(key: string, nonce: string, port: number): string {
  return createHmac('sha256', key).update(`${nonce} ${port}`).digest('base64url');
}
