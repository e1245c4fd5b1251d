import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

/** 256 random bits, in letters that pass through a URL and a form unchanged. */
export const createSecret = (): string => randomBytes(32).toString('base64url');

/** What is stored of a random secret. It needs no salt and no slowness: nobody guesses 256 bits. */
export const hashSecret = (secret: string): string => createHash('sha256').update(secret).digest('base64url');

/** Compares two texts in a time that does not tell where they differ. */
export const timingSafeEqualStrings = (left: string, right: string): boolean => {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(left), digest(right));
};
