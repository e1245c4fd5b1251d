import { ServiceError } from '../service-error.js';

/** The length of a password in characters. */
export const PASSWORD_LENGTH = { min: 8, max: 1024 } as const;

/** Returns whether a password has a permitted length. */
export function isValidPassword(password: string): boolean {
  const { length } = [...password];
  return length >= PASSWORD_LENGTH.min && length <= PASSWORD_LENGTH.max;
}

/** Returns a password for a request. Throws `FIELD_INVALID` for one of another length. */
export function requirePassword(password: string): string {
  if (isValidPassword(password)) return password;
  const { min, max } = PASSWORD_LENGTH;
  throw new ServiceError('FIELD_INVALID', `Invalid password: expected ${min} to ${max} characters.`);
}

/**
 * Returns whether a user or client can have this name. A colon ends the client id in a Basic header; control characters
 * cannot be entered in a form.
 */
export function isValidAccountName(name: string): boolean {
  return /^[^\p{Cc}:]{1,200}$/u.test(name);
}
