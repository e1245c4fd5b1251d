import { execFileSync } from 'node:child_process';

/** The defects that admesh counts in a file and its changes; all zero for a valid file. */
export interface AdmeshCounts {
  disconnected: number[];
  edgesFixed: number;
  facetsRemoved: number;
  facetsAdded: number;
  facetsReversed: number;
  backwardsEdges: number;
}

/** The counts of a valid file. */
export const NO_ADMESH_DEFECTS: AdmeshCounts = {
  disconnected: [0, 0, 0],
  edgesFixed: 0,
  facetsRemoved: 0,
  facetsAdded: 0,
  facetsReversed: 0,
  backwardsEdges: 0,
};

/**
 * Runs admesh on a file. Throws if it is not installed (Debian: admesh) or takes longer than 20 s: it hangs on some
 * files.
 */
export function runAdmesh(file: string): AdmeshCounts {
  const output = execFileSync('admesh', [file], { encoding: 'latin1', timeout: 300_000 });
  const readCount = (label: RegExp): number => {
    const match = new RegExp(`${label.source}\\s*:\\s*(\\d+)`).exec(output)?.[1];
    if (match === undefined) throw new Error(`The output of admesh has no ${label.source}:\n${output}`);
    return Number(match);
  };
  return {
    disconnected: [/with 1 disconnected edge/, /with 2 disconnected edges/, /with 3 disconnected edges/].map(readCount),
    edgesFixed: readCount(/Edges fixed/),
    facetsRemoved: readCount(/Facets removed/),
    facetsAdded: readCount(/Facets added/),
    facetsReversed: readCount(/Facets reversed/),
    backwardsEdges: readCount(/Backwards edges/),
  };
}
