import { StringDecoder } from 'node:string_decoder';

/**
 * Takes bytes as they come and hands on whole lines. A line longer than `maxLength` calls `onOverflow` once; then nothing follows.
 */
export function createLineReader(
  maxLength: number,
  onLine: (line: string) => void,
  onOverflow: () => void,
): (chunk: Buffer) => void {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  let hasOverflown = false;
  return (chunk) => {
    if (hasOverflown) return;
    const lines = (rest + decoder.write(chunk)).split('\n');
    rest = lines.pop() ?? '';
    if (rest.length > maxLength) {
      hasOverflown = true;
      rest = '';
      onOverflow();
    }
    for (const line of lines) onLine(line);
  };
}
