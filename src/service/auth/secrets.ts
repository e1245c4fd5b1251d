import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

/** 256 random bits, in letters that pass through a URL and a form unchanged. */
export function createSecret(): string {
  return randomBytes(32).toString('base64url');
}

/** What is stored of a random secret. It needs no salt and no slowness: nobody guesses 256 bits. */
export function hashSecret(secret: string): string {
  return createHash('sha256').update(secret).digest('base64url');
}

/** Compares two texts in a time that does not tell where they differ. */
export function timingSafeEqualStrings(left: string, right: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(left), digest(right));
}
