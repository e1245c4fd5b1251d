import { fileURLToPath } from 'node:url';
import { createNodeError } from '../node/flow-error.js';

/** The sample models bundled with the package, so that example flows run as imported. */
export const SAMPLES = ['bracket.stl'] as const;

/** Returns the path of a bundled sample. Throws `INPUT_INVALID` if there is no sample of this name. */
export function resolveSample(name: string): string {
  const match = SAMPLES.find((sample) => sample === name);
  if (!match) throw createNodeError('INPUT_INVALID', `Invalid sample "${name}": expected ${SAMPLES.join(', ')}.`);
  return fileURLToPath(new URL(`../../../../examples/models/${match}`, import.meta.url));
}
