/** Figures whose target is a maximum; the targets of all others are a minimum. */
const UPPER_BOUNDED = new Set([
  'growthMib',
  'timeOfCoreFlow',
  'tokenRequests',
  'tokenRequestsCold',
  'refreshTokensReused',
]);

/** Prints one line per figure. Returns whether all targets are met. */
export function printFigures(figures: Record<string, object>): boolean {
  const rows = Object.entries(figures).flatMap(([what, values]) =>
    Object.entries(values).map(([name, entry]: [string, unknown]) => ({ what, name, ...readEntry(name, entry) })),
  );
  console.table(rows);
  return rows.every(({ isReached }) => isReached !== false);
}

function readEntry(name: string, entry: unknown) {
  if (typeof entry !== 'object' || entry === null) return { value: entry };
  const { value, reach } = Object(entry);
  return { value, reach, isReached: UPPER_BOUNDED.has(name) ? value <= reach : value >= reach };
}
