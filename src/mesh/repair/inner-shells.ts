import type { InnerShell, InnerShellRule } from '../analysis/report.js';
import type { Nesting } from '../spatial/nesting.js';

/** A report lists this many inner shells at most. */
const MAX_LISTED_SHELLS = 1000;

/** What is known of the shells of a mesh when it is decided which way each faces. All by shell. */
export interface NestedShells extends Nesting {
  isClosed: Uint8Array;
  /** Signed: negative where the shell faces inward. */
  volumeMm3: Float64Array;
  /** 1 where triangles of the shell disagreed in winding, so that the file does not say which way it faces. */
  wasFlipped: Uint8Array;
}

/**
 * Which way each shell is to face: 1 outward, -1 inward, 0 as it does. The outermost face outward. Those inside others:
 *
 * - `auto`: as the file winds them, where its winding can be trusted: the file wound the shell and all those round it without contradiction,
 *   and the outermost outward. Else by nesting parity: inward and outward by turns, so that what lies in a body is a void.
 * - `void`: by nesting parity, whatever the file says.
 * - `merge`: outward, so that a union makes them one with what is round them.
 */
export function chooseShellOrientations(shells: NestedShells, rule: InnerShellRule): Int8Array {
  const { containers, isClosed } = shells;
  return Int8Array.from(containers, (around, shell) => {
    if (isClosed[shell] === 0) return 0;
    if (around.length === 0 || rule === 'merge') return 1;
    if (rule === 'auto' && [shell, ...around].every((each) => hasTrustedWinding(shells, each))) return 0;
    return around.length % 2 === 1 ? -1 : 1;
  });
}

function hasTrustedWinding({ containers, volumeMm3, wasFlipped }: NestedShells, shell: number): boolean {
  return wasFlipped[shell] === 0 && (containers[shell].length > 0 || volumeMm3[shell] > 0);
}

/** The closed shells inside others, and what becomes of them once each faces as it is to and what overlaps is united. */
export function listInnerShells(shells: NestedShells, orientations: Int8Array): InnerShell[] {
  const { containers, boxes, volumeMm3 } = shells;
  const signOf = (shell: number) => orientations[shell] || Math.sign(volumeMm3[shell]);
  const listed: InnerShell[] = [];
  for (let shell = 0; shell < orientations.length && listed.length < MAX_LISTED_SHELLS; shell++) {
    if (containers[shell].length === 0) continue;
    const outside = containers[shell].reduce((winding, container) => winding + signOf(container), 0);
    const isVoid = signOf(shell) < 0 && outside === 1;
    const isPart = signOf(shell) > 0 && outside === 0;
    const [minX, minY, minZ, maxX, maxY, maxZ] = boxes.subarray(shell * 6, shell * 6 + 6);
    listed.push({
      outcome: isPart || (isVoid && volumeMm3[shell] < 0) ? 'kept' : isVoid ? 'void' : 'merged',
      x: (minX + maxX) / 2,
      y: (minY + maxY) / 2,
      z: (minZ + maxZ) / 2,
      sizeMm: Math.hypot(maxX - minX, maxY - minY, maxZ - minZ),
      volumeMm3: Math.abs(volumeMm3[shell]),
    });
  }
  return listed;
}
