/** A number and what it counts, in words: `1 triangle`, `2 triangles`. `many` is the plural; default: with an s. */
export function pluralize(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}
