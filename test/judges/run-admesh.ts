import { execFileSync } from 'node:child_process';

/** What admesh counts in a file and would change in it; all zero for a file that it finds nothing to do in. */
export interface AdmeshCounts {
  disconnected: number[];
  edgesFixed: number;
  facetsRemoved: number;
  facetsAdded: number;
  facetsReversed: number;
  backwardsEdges: number;
}

/** Nothing to do. */
export const ADMESH_SATISFIED: AdmeshCounts = {
  disconnected: [0, 0, 0],
  edgesFixed: 0,
  facetsRemoved: 0,
  facetsAdded: 0,
  facetsReversed: 0,
  backwardsEdges: 0,
};

/** Has admesh look at a file. Fails where it is not installed (Debian: admesh), and where it takes longer than 20 s: it hangs on some files. */
export function runAdmesh(file: string): AdmeshCounts {
  const output = execFileSync('admesh', [file], { encoding: 'latin1', timeout: 20_000 });
  const numberOf = (label: RegExp): number => {
    const match = new RegExp(`${label.source}\\s*:\\s*(\\d+)`).exec(output)?.[1];
    if (match === undefined) throw new Error(`admesh said nothing of ${label.source}:\n${output}`);
    return Number(match);
  };
  return {
    disconnected: [/with 1 disconnected edge/, /with 2 disconnected edges/, /with 3 disconnected edges/].map(numberOf),
    edgesFixed: numberOf(/Edges fixed/),
    facetsRemoved: numberOf(/Facets removed/),
    facetsAdded: numberOf(/Facets added/),
    facetsReversed: numberOf(/Facets reversed/),
    backwardsEdges: numberOf(/Backwards edges/),
  };
}
