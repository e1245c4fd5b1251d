/** The first and the last byte to send, or that the header asks for none there is. */
export type ByteRange = { start: number; end: number } | 'unsatisfiable';

/**
 * The range that a `Range` header asks for, of a file with `size` bytes (RFC 9110, section 14). `undefined` where the whole is to be sent: no
 * header, one that is not understood, or several ranges.
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
