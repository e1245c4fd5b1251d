import { ANALYZE } from './kinds/analyze.js';
import { EXPORT } from './kinds/export.js';
import { GEOMETRICAL_REPAIR } from './kinds/geometrical-repair.js';
import { HOLLOWING } from './kinds/hollowing.js';
import { IMPORT } from './kinds/import.js';
import { PREVIEW } from './kinds/preview.js';
import { REDUCE_TRIANGLES } from './kinds/reduce-triangles.js';
import { REPAIR } from './kinds/repair.js';
import { SCALE } from './kinds/scale.js';
import { SHRINKWRAP_REPAIR } from './kinds/shrinkwrap-repair.js';
import { THUMBNAIL } from './kinds/thumbnail.js';
import { WALL_THICKNESS_ANALYSIS } from './kinds/wall-thickness-analysis.js';
import type { OperationKind } from './operation-kind.js';

// In the order of the dialogs.
const KINDS = [
  IMPORT,
  REPAIR,
  EXPORT,
  ANALYZE,
  GEOMETRICAL_REPAIR,
  SHRINKWRAP_REPAIR,
  SCALE,
  REDUCE_TRIANGLES,
  HOLLOWING,
  WALL_THICKNESS_ANALYSIS,
  THUMBNAIL,
  PREVIEW,
] as const;

/** The records of all operations that this service supports, each with its own type. */
export type SupportedKind = (typeof KINDS)[number];

/** All operations that this service supports. */
export const OPERATION_KINDS: readonly OperationKind[] = KINDS;

/** Returns the operation with this name, case-insensitively, or `undefined`. */
export function findKind(name: string): OperationKind | undefined {
  return OPERATION_KINDS.find((kind) => kind.name === name.toLowerCase());
}
