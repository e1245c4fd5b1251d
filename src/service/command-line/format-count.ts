/** Returns a number with a noun, which gets an `s` unless the number is 1. */
export function formatCount(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
