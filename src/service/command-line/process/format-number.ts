const SIGNIFICANT_DIGITS = 6;

/**
 * Formats a measure with six significant digits: 0.000243891, 12.5, 34567.8. The integer part is never rounded to
 * fewer digits, and trailing zeros are omitted.
 */
export function formatNumber(value: number): string {
  if (Math.abs(value) >= 10 ** SIGNIFICANT_DIGITS) return value.toFixed(0);
  return String(Number(value.toPrecision(SIGNIFICANT_DIGITS)));
}
