import type { ProblemEntry } from '../../api/index.js';

/** Thrown to answer with an entry that was written down earlier, as the error of an operation was. */
export class RecordedProblem extends Error {
  override readonly name = 'ReplyProblem';
  readonly status: number;
  readonly entry: ProblemEntry;

  constructor(status: number, entry: ProblemEntry) {
    super(entry.message);
    this.status = status;
    this.entry = entry;
  }
}
