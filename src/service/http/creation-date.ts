/** Formats the creation time of a file (ms since 1970) as ISO 8601 with fractional seconds and UTC offset. */
export function formatCreationDate(time: number): string {
  return new Date(time).toISOString().replace('Z', '+00:00');
}
