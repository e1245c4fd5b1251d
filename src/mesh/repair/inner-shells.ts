import type { InnerShell, InnerShellRule } from '../analysis/report.js';
import type { Nesting } from '../spatial/nesting.js';

/** A report lists at most this many inner shells. */
const MAX_LISTED_SHELLS = 1000;

/** The shells of a mesh before their orientation is decided. All arrays are indexed by shell. */
export interface NestedShells extends Nesting {
  isClosed: Uint8Array;
  /** Signed volume: negative if the shell faces inward. */
  volumeMm3: Float64Array;
  /**
   * 1 if triangles of the shell contradicted each other in winding, so that the file does not define its orientation.
   */
  wasFlipped: Uint8Array;
}

/**
 * Chooses the orientation of each shell: 1 outward, -1 inward, 0 unchanged. The outermost shells face outward. Shells
 * inside others depend on `rule`:
 *
 * - `auto`: unchanged if the winding of the file can be trusted: the shell and all shells containing it are wound
 *   consistently, and the outermost faces outward. Otherwise by nesting parity: alternately inward and outward, so that
 *   a shell in a body is a void. If the shells containing it cross each other, there is no parity: it is wound relative
 *   to the outermost of them as in the file.
 * - `void`: by nesting parity, whatever the winding of the file.
 * - `merge`: outward, so that a union merges them with the shells containing them.
 */
export function chooseShellOrientations(shells: NestedShells, rule: InnerShellRule): Int8Array {
  const { containers, isClosed } = shells;
  return Int8Array.from(containers, (containing, shell) => {
    if (isClosed[shell] === 0) return 0;
    if (containing.length === 0 || rule === 'merge') return 1;
    if (rule === 'auto' && [shell, ...containing].every((each) => hasTrustedWinding(shells, each))) return 0;
    if (rule === 'auto' && !areNested(shells, containing)) return compareWithOutermost(shells, shell);
    return containing.length % 2 === 1 ? -1 : 1;
  });
}

/** Whether each of the shells that contain another one is inside the next larger one. */
function areNested({ containers }: NestedShells, containing: readonly number[]): boolean {
  return new Set(containing.map((shell) => containers[shell].length)).size === containing.length;
}

/** Returns 1 if a shell is wound as the outermost shell that contains it, else -1. */
function compareWithOutermost({ containers, volumeMm3 }: NestedShells, shell: number): number {
  const outermost = containers[shell].find((container) => containers[container].length === 0) ?? shell;
  return volumeMm3[shell] * volumeMm3[outermost] > 0 ? 1 : -1;
}

function hasTrustedWinding({ containers, volumeMm3, wasFlipped }: NestedShells, shell: number): boolean {
  return wasFlipped[shell] === 0 && (containers[shell].length > 0 || volumeMm3[shell] > 0);
}

/** Lists the closed shells inside others, and their outcome after `orientations` is applied and overlaps are united. */
export function listInnerShells(shells: NestedShells, orientations: Int8Array): InnerShell[] {
  const { containers, boxes, volumeMm3 } = shells;
  const signOf = (shell: number) => orientations[shell] || Math.sign(volumeMm3[shell]);
  const innerShells: InnerShell[] = [];
  for (let shell = 0; shell < orientations.length && innerShells.length < MAX_LISTED_SHELLS; shell++) {
    if (containers[shell].length === 0) continue;
    const outside = containers[shell].reduce((winding, container) => winding + signOf(container), 0);
    const isVoid = signOf(shell) < 0 && outside === 1;
    const isPart = signOf(shell) > 0 && outside === 0;
    const [minX, minY, minZ, maxX, maxY, maxZ] = boxes.subarray(shell * 6, shell * 6 + 6);
    innerShells.push({
      outcome: isPart || (isVoid && volumeMm3[shell] < 0) ? 'kept' : isVoid ? 'void' : 'merged',
      x: (minX + maxX) / 2,
      y: (minY + maxY) / 2,
      z: (minZ + maxZ) / 2,
      sizeMm: Math.hypot(maxX - minX, maxY - minY, maxZ - minZ),
      volumeMm3: Math.abs(volumeMm3[shell]),
    });
  }
  return innerShells;
}
