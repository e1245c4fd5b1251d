import {
  type CombinedCase,
  listNearDuplicates,
  listPairs,
  listTriples,
} from '../../test/mesh/models/combined-cases.js';

/** A set of cases. `count` and `seed` matter to `triples` only. */
export interface CaseSet {
  set: 'pairs' | 'near' | 'triples';
  count: number;
  seed: number;
}

/** Lists the cases of a set. */
export function listSet({ set, count, seed }: CaseSet): CombinedCase[] {
  if (set === 'pairs') return listPairs();
  return set === 'near' ? listNearDuplicates() : listTriples(count, seed);
}
