import type { ReportWarning } from '../analysis/report.js';

const MESSAGES = {
  ANIMATION_DROPPED: 'Animations, skins and morph targets are not kept: the geometry is, as it stands at rest',
  BEAMS_DROPPED: 'Beam lattices are not read: only the triangles are',
  COLOURS_DROPPED: 'Colours are not kept: the geometry is',
  MATERIALS_DROPPED: 'Materials and textures are not kept: the geometry is',
  CURVES_DROPPED: 'Curved triangles are not kept: they are read as flat ones',
  INLINE_DROPPED: 'Parts in other files are not read: only what is in this one',
  LINES_DROPPED: 'Points and lines are not kept: the triangles are',
  OBJECTS_MISSING: 'Things are placed that the file does not hold: left out',
  SETTINGS_DROPPED: 'Settings of a slicer are not kept: the geometry is',
  SHAPES_DROPPED: 'Shapes that are no sets of faces (boxes, spheres, texts) are not read',
  SLICES_DROPPED: 'Slices are not read: only the triangles are',
  SURFACES_DROPPED:
    'Surfaces that were saved without their triangles are not read: save the file shaded, or export it as STEP',
} as const;

/** What a file may hold and a mesh does not. */
export type Loss = keyof typeof MESSAGES;

/** The warnings that name what was not kept, in the order of the code. */
export function createLossWarnings(losses: Iterable<Loss>): ReportWarning[] {
  return [...new Set(losses)].sort().map((code) => ({ code, message: MESSAGES[code] }));
}
