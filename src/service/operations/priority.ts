import type { Priority } from '../store/schema.js';
import { type ChoiceParameter, readParameters } from './parameters.js';

/** The field of every start that chooses the priority. It is no parameter of the job, so that equal jobs stay equal. */
export const PRIORITY_FIELD = {
  values: ['normal', 'low'],
  default: 'normal',
  proposed: undefined,
  description: 'low: runs only while no normal operation waits; after an hour of waiting it counts as normal',
} as const satisfies ChoiceParameter;

/** Reads the priority from the body of a start. Null counts as absent. Throws `FIELD_INVALID`. */
export function readPriority(body: object): Priority {
  return readParameters({ priority: PRIORITY_FIELD }, body).priority === 'low' ? 'low' : 'normal';
}
