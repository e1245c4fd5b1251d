/** The length of a password in characters. */
export const PASSWORD_LENGTH = { min: 8, max: 1024 } as const;

/** Returns whether a password has a permitted length. */
export function isValidPassword(password: string): boolean {
  const { length } = [...password];
  return length >= PASSWORD_LENGTH.min && length <= PASSWORD_LENGTH.max;
}

/**
 * Returns whether a user or client can have this name. A colon ends the client id in a Basic header; control characters
 * cannot be entered in a form.
 */
export function isValidAccountName(name: string): boolean {
  return /^[^\p{Cc}:]{1,200}$/u.test(name);
}
