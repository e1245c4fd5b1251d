import type { ProblemEntry } from '../../api/index.js';

/** Thrown to reply with a stored problem entry, such as the error of a failed operation. */
export class RecordedProblem extends Error {
  override readonly name = 'RecordedProblem';
  readonly status: number;
  readonly entry: ProblemEntry;

  constructor(status: number, entry: ProblemEntry) {
    super(entry.message);
    this.status = status;
    this.entry = entry;
  }
}
