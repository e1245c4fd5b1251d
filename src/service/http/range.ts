/** The first and last byte to send (inclusive), or `unsatisfiable` if the range is outside of the file. */
export type ByteRange = { start: number; end: number } | 'unsatisfiable';

/**
 * Parses a `Range` header for a file of `size` bytes (RFC 9110, section 14). Returns `undefined` if the whole file is
 * to be sent: the header is missing, invalid, or lists several ranges.
 */
export function parseRange(header: string | undefined, size: number): ByteRange | undefined {
  const match = /^bytes=(\d*)-(\d*)$/i.exec(header?.trim() ?? '');
  if (!match) return undefined;
  const [, first = '', last = ''] = match;
  if (first === '' && last === '') return undefined;
  if (first === '') {
    const start = Math.max(0, size - Number(last));
    return Number(last) === 0 || size === 0 ? 'unsatisfiable' : { start, end: size - 1 };
  }
  if (last !== '' && Number(last) < Number(first)) return undefined;
  if (Number(first) >= size) return 'unsatisfiable';
  return { start: Number(first), end: last === '' ? size - 1 : Math.min(Number(last), size - 1) };
}
