import type { ReportWarning } from '../../analysis/report.js';
import { pluralize } from '../../core/pluralize.js';
import type { ReaderWarning } from '../format.js';

const MESSAGES = {
  ANIMATION_DROPPED:
    'Animations, skeletons and morph targets are not imported; the geometry is read in one pose: for glTF and Collada that of their nodes, else the rest pose.',
  BEAMS_DROPPED: 'Beam lattices are not imported; triangles are.',
  COLOURS_DROPPED: 'Colors are not imported; the geometry is.',
  MATERIALS_DROPPED: 'Materials and textures are not imported; the geometry is.',
  CURVES_DROPPED: 'Curved triangles are imported as flat ones.',
  INLINE_DROPPED: 'Parts in other files are not imported.',
  LINES_DROPPED: 'Points and lines are not imported; triangles are.',
  OBJECTS_MISSING: 'The file references objects that it does not contain; they were skipped.',
  PAINTING_DROPPED: 'Painting of the slicer (colors, supports, seams, fuzzy skin) is not imported; the geometry is.',
  SETTINGS_DROPPED: 'Slicer settings are not imported; the geometry is.',
  SLICES_DROPPED: 'Slices are not imported; triangles are.',
  SURFACES_DROPPED:
    'Surfaces saved without a render mesh are not imported: save the file in shaded view, or export it as STEP.',
} as const;

/** Content of a file that a mesh cannot represent. */
export type Loss = keyof typeof MESSAGES;

/** All kinds of content that a mesh cannot represent. */
export const LOSSES = Object.keys(MESSAGES) as Loss[]; // the keys of a table without others

/** Returns one warning for each kind of content that was not imported, sorted by code. */
export function createLossWarnings(losses: Iterable<Loss>): ReportWarning[] {
  return [...new Set(losses)].sort().map((code) => ({ code, message: MESSAGES[code] }));
}

/** Returns the warning for references to objects that a file does not contain, or nothing if `count` is 0. */
export function missingObjectsWarning(count: number): ReaderWarning[] {
  if (count === 0) return [];
  const message = `${pluralize(count, 'reference')} to missing objects ${count === 1 ? 'was' : 'were'} skipped.`;
  return [{ code: 'OBJECTS_MISSING', message, skipped: { objects: count } }];
}
