import { flipDegenerateTriangles } from '../editing/flip-degenerate-triangles.js';
import { splitFans } from '../editing/split-fans.js';
import { CLEAN } from './clean.js';
import { GAPS } from './gaps.js';
import { HOLES } from './holes.js';
import { REMOVE_INTERIOR_WALLS } from './interior-walls.js';
import { REMOVE_OPEN_FRAGMENTS } from './open-fragments.js';
import { ORIENT } from './orient.js';
import { ORIENT_SHELLS } from './orient-shells.js';
import { RETRIANGULATE_PLANAR_REGIONS } from './retriangulate-planar-regions.js';
import { UNITE_AROUND_VOIDS } from './shells-around-voids.js';
import { SNAP_STRAY_CORNERS } from './snap-stray-corners.js';
import { changed, type RepairStep, unchanged } from './step.js';
import { STITCH } from './stitch.js';
import { T_JUNCTIONS } from './t-junctions.js';
import { UNITE_INTERSECTING } from './unite-intersecting.js';

/**
 * When a step runs:
 *
 * - `always`
 * - `topology`: unless the topology is to be preserved.
 * - `intersections`: as `topology`, and only if the check of the closed mesh found intersections.
 */
export type StepCondition = 'always' | 'topology' | 'intersections';

/**
 * The step `fans`. Gives bodies that touch at a vertex or along an edge separate vertices (see `splitFans`). The notes
 * count added vertices.
 */
export const SPLIT_FANS: RepairStep = {
  name: 'fans',
  run(mesh, { index }) {
    const { state, addedCount: count } = splitFans({ mesh, index });
    return count > 0 ? changed(state, { count }) : unchanged(mesh);
  },
};

/** The step `degenerate-triangles`. Removes degenerate triangles by edge flips. The notes count flips. */
export const FLIP_DEGENERATE: RepairStep = {
  name: 'degenerate-triangles',
  run(mesh, { index }) {
    const { state, flipCount: count } = flipDegenerateTriangles({ mesh, index });
    return count > 0 ? changed(state, { count }) : unchanged(mesh);
  },
};

/** The steps of a repair, in order. docs/geometry.md describes each. */
export const REPAIR_STEPS: readonly { step: RepairStep; when: StepCondition }[] = [
  { step: CLEAN, when: 'always' },
  { step: STITCH, when: 'always' },
  { step: SNAP_STRAY_CORNERS, when: 'always' },
  { step: T_JUNCTIONS, when: 'always' },
  { step: GAPS, when: 'always' },
  { step: ORIENT, when: 'always' },
  { step: REMOVE_INTERIOR_WALLS, when: 'always' },
  { step: REMOVE_OPEN_FRAGMENTS, when: 'topology' },
  { step: HOLES, when: 'always' },
  { step: ORIENT_SHELLS, when: 'always' },
  { step: UNITE_AROUND_VOIDS, when: 'topology' },
  { step: SPLIT_FANS, when: 'always' },
  { step: FLIP_DEGENERATE, when: 'always' },
  { step: RETRIANGULATE_PLANAR_REGIONS, when: 'intersections' },
  { step: UNITE_INTERSECTING, when: 'intersections' },
];
