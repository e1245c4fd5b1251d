/** Formats a count with its noun: `1 triangle`, `2 triangles`. `many` is the plural; default: `one` with an s. */
export function pluralize(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}
