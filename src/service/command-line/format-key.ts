/** Returns the key of an object for a terminal, which could execute control characters. */
export function formatKey(key: string): string {
  return key.replaceAll(/\p{Cc}/gu, '\uFFFD');
}
