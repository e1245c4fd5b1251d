/**
 * What a Retry-After header asks for, in ms, at most `maxMs`; `undefined` where it is absent or makes no sense. A date is
 * held against the reply's own Date header, so that neither clock has to be right (RFC 9110, section 10.2.3).
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
  // A date without a Date to hold it against, or one that is past, says nothing.
  return delayMs > 0 && /[a-z]/i.test(text) ? Math.min(delayMs, maxMs) : undefined;
}
