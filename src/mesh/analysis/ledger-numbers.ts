import type { StepEntry } from './report.js';

/** Differences of a mesh after a step from that before: after less before. */
export interface LedgerDifferences {
  triangles: number;
  shells: number;
  volumeMm3: number;
  /** Objects of which no triangle is left. Default: 0. */
  removedObjects?: number;
}

/** Returns a ledger entry without the numbers that are 0, and without the reason if all are. */
export function createLedgerEntry(
  name: string,
  changed: number,
  { triangles, shells, volumeMm3, removedObjects = 0 }: LedgerDifferences,
  reason: string | undefined,
): StepEntry {
  const numbers = {
    ...(triangles < 0 && { removedTriangles: -triangles }),
    ...(triangles > 0 && { addedTriangles: triangles }),
    ...(shells < 0 && { removedShells: -shells }),
    ...(shells > 0 && { addedShells: shells }),
    ...(removedObjects > 0 && { removedObjects }),
    ...(volumeMm3 !== 0 && { volumeChangeMm3: volumeMm3 }),
  };
  return { name, changed, ...numbers, ...(reason && Object.keys(numbers).length > 0 && { reason }) };
}

/** Adds the differences that entries state. */
export function sumEntries(entries: readonly StepEntry[]): Required<LedgerDifferences> {
  const sum = (read: (entry: StepEntry) => number) => entries.reduce((total, entry) => total + read(entry), 0);
  return {
    triangles: sum(({ addedTriangles = 0, removedTriangles = 0 }) => addedTriangles - removedTriangles),
    shells: sum(({ addedShells = 0, removedShells = 0 }) => addedShells - removedShells),
    volumeMm3: sum(({ volumeChangeMm3 = 0 }) => volumeChangeMm3),
    removedObjects: sum(({ removedObjects = 0 }) => removedObjects),
  };
}
