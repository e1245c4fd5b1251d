import type { ReportWarning } from '../report.js';

const MESSAGES = {
  COLOURS_DROPPED: 'Colours are not kept: the geometry is',
  MATERIALS_DROPPED: 'Materials and textures are not kept: the geometry is',
} as const;

/** What a file may hold and a mesh does not. */
export type Loss = keyof typeof MESSAGES;

/** The warnings that name what was not kept, in the order of the code. */
export function lossesOf(losses: Iterable<Loss>): ReportWarning[] {
  return [...new Set(losses)].sort().map((code) => ({ code, message: MESSAGES[code] }));
}
