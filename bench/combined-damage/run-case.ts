// The process in which bench/combined-damage.ts repairs models, so that a deadline can end it: takes cases, sends back what is wrong.
import { repair } from '../../src/mesh/repair/repair.js';
import { compareWithTruth } from '../../test/mesh/models/compare-with-truth.js';
import { type CaseSet, listSet } from './case-sets.js';

/** Which case to run. */
export interface CaseRequest extends CaseSet {
  index: number;
}

/**
 * The outcome of a case. `wrong`: why the result is not the truth, if it is not. `cpuMs`: processor time of the repair,
 * which depends less on other processes than the time that passes.
 */
export interface CaseOutcome {
  wrong?: string | undefined;
  triangles: number;
  cpuMs: number;
}

function runCase(request: CaseRequest): CaseOutcome {
  const combined = listSet(request)[request.index];
  if (!combined) throw new Error(`The set ${request.set} has no case ${request.index}.`);
  const damaged = combined.createDamaged();
  const start = process.cpuUsage();
  const { mesh, isSuccessful, reason } = repair(damaged);
  const cpuMs = process.cpuUsage(start).user / 1000;
  const wrong = isSuccessful ? compareWithTruth(mesh, combined.createTruth()) : reason;
  return { wrong, triangles: damaged.triangles.length / 3, cpuMs };
}

process.on('message', (request: CaseRequest) => {
  process.send?.(runCase(request));
});
