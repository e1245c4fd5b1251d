/**
 * Returns the delay of a Retry-After header in ms, at most `maxMs`, or `undefined` if it is absent or invalid (RFC
 * 9110, section 10.2.3). A date is compared with the Date header of the same reply, so clock skew does not matter.
 */
export function readRetryAfterMs(
  retryAfter: string | undefined,
  date: string | undefined,
  maxMs: number,
): number | undefined {
  const text = retryAfter?.trim();
  if (!text) return undefined;
  if (/^\d+(\.\d+)?$/.test(text)) return Math.min(Number(text) * 1000, maxMs);
  const delayMs = Date.parse(text) - Date.parse(date ?? '');
  // Invalid: a date in the past, or a date in a reply without a Date header.
  return delayMs > 0 && /[a-z]/i.test(text) ? Math.min(delayMs, maxMs) : undefined;
}
