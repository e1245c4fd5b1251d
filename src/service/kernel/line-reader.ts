import { StringDecoder } from 'node:string_decoder';

/**
 * Creates a function that splits chunks of UTF-8 into lines and passes each to `onLine`. Calls `onOverflow` once if a
 * line is longer than `maxLength` characters, and ignores all further input.
 */
export function createLineReader(
  maxLength: number,
  onLine: (line: string) => void,
  onOverflow: () => void,
): (chunk: Buffer) => void {
  const decoder = new StringDecoder('utf8');
  let incomplete = '';
  let hasOverflowed = false;
  return (chunk) => {
    if (hasOverflowed) return;
    const lines = (incomplete + decoder.write(chunk)).split('\n');
    incomplete = lines.pop() ?? '';
    if (incomplete.length > maxLength) {
      hasOverflowed = true;
      incomplete = '';
      onOverflow();
    }
    for (const line of lines) onLine(line);
  };
}
