import { fileURLToPath } from 'node:url';
import { createNodeError } from '../node/flow-error.js';

/** The models that the package brings along, for flows that shall run as imported. */
export const SAMPLES = ['bracket.stl'] as const;

/** Where a bundled sample is on this machine. `INPUT_INVALID` where there is none of that name. */
export function resolveSample(name: string): string {
  const known = SAMPLES.find((sample) => sample === name);
  if (!known) throw createNodeError('INPUT_INVALID', `there is no sample "${name}"; there are: ${SAMPLES.join(', ')}`);
  return fileURLToPath(new URL(`../../../../examples/models/${known}`, import.meta.url));
}
