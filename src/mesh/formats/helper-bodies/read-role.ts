import type { HelperRole } from '../../core/mesh.js';

/** The names of roles in files, in lower case: of PrusaSlicer and SuperSlicer, then of Bambu Studio and OrcaSlicer. */
const ROLES: Readonly<Record<string, HelperRole>> = {
  negativevolume: 'negative',
  parametermodifier: 'modifier',
  supportenforcer: 'supportEnforcer',
  supportblocker: 'supportBlocker',
  '1': 'modifier',
  seamposition: 'other',
  brimpatch: 'other',
  brimnegative: 'other',
  negative_part: 'negative',
  modifier_part: 'modifier',
  support_enforcer: 'supportEnforcer',
  support_blocker: 'supportBlocker',
};

/** Returns the role that a slicer calls `name`, or `undefined` for a part and for unknown names. */
export function readRole(name: string): HelperRole | undefined {
  const key = name.trim().toLowerCase();
  return Object.hasOwn(ROLES, key) ? ROLES[key] : undefined;
}
