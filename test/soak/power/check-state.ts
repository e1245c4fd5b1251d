import { existsSync } from 'node:fs';
import path from 'node:path';
import { callsWith, logIn } from '../../service/support/account.js';
import { runProgram, startProgram } from '../../service/support/program.js';
import { listTemporaryFiles } from '../../service/support/temporary-files.js';
import { checkAnswered, checkUnanswered } from './check-facts.js';
import type { CrashState } from './crash-states.js';
import { writeTree } from './tree-files.js';
import type { Fact } from './witness.js';

/**
 * `refused`: the service does not start, because its database is damaged. `recovered`: it starts after `recover --apply`,
 * because its database was removed.
 */
export interface Check {
  outcome: 'started' | 'refused' | 'recovered';
  violations: string[];
}

/** What the checks of all states of a trace have in common. `digests`: id of each output → SHA-256 of its bytes. */
export interface CheckOptions {
  program: string;
  digests: Map<string, string>;
}

/** What a data folder must contain, and what it may contain. */
interface Expectation {
  answered: Fact[];
  unanswered: Fact[];
}

const START_TIMEOUT_MS = 150_000;
// Each takes as long as the check of the data folder itself.
const CHECKED_BACKUPS = 1 / 4;

/**
 * Runs a check, and once more if the connection is lost: a service that was idle for long may close it. Returns the
 * violation.
 */
async function runCheck(check: () => Promise<string | undefined>, name: string): Promise<string | undefined> {
  return check()
    .catch(check)
    .catch((error: unknown) => `${name}: ${error instanceof Error ? (error.cause ?? error) : error}`);
}

async function checkService(
  folder: string,
  { answered, unanswered }: Expectation,
  { digests, isRecovered }: { digests: Map<string, string>; isRecovered: boolean },
): Promise<string[]> {
  const { baseUrl, token } = await logIn(folder);
  const api = callsWith(baseUrl, token);
  const checks = { api, folder, digests, isRecovered };
  const violations: (string | undefined)[] = [];
  const describeFact = (fact: Fact): string => `${fact.type} ${'id' in fact ? fact.id : ''}`;
  for (const fact of answered) violations.push(await runCheck(() => checkAnswered(fact, checks), describeFact(fact)));
  for (const fact of unanswered)
    violations.push(await runCheck(() => checkUnanswered(fact, checks), describeFact(fact)));
  const { status } = await api.upload('new', 'new.stl');
  if (status !== 200) violations.push(`a new upload: status ${status}`);
  const temporary = listTemporaryFiles(folder);
  if (temporary.length > 0) violations.push(`remaining in temp: ${temporary.join(', ')}`);
  return violations.filter((violation) => violation !== undefined);
}

/** Starts a service on a data folder and compares everything that it knows with what was answered. */
async function checkFolder(
  folder: string,
  expectation: Expectation,
  options: CheckOptions,
  isRecovered = false,
): Promise<Check> {
  const args = ['serve', '--port', '0', '--data', folder, '--workers', '1', '--memory', '512M', '--log-level', 'error'];
  const service = startProgram(args, {}, options.program);
  try {
    const listening = new Promise<string>((resolve) => {
      service.child.stdout?.once('data', () => resolve('started'));
      AbortSignal.timeout(START_TIMEOUT_MS).addEventListener('abort', () => resolve('none, it does not start'));
    });
    const status = await Promise.race([listening, service.ended]);
    if (status !== 'started') return { outcome: 'refused', violations: [`exit status ${status}: ${service.errors()}`] };
    const { digests } = options;
    return { outcome: 'started', violations: await checkService(folder, expectation, { digests, isRecovered }) };
  } finally {
    service.child.kill('SIGKILL');
    await service.ended;
  }
}

/** Checks a data folder without database: unless it has no files either, the service refuses it until it is recovered. */
async function checkRecovery(folder: string, expectation: Expectation, options: CheckOptions): Promise<Check> {
  const check = await checkFolder(folder, expectation, options, true);
  if (check.outcome !== 'refused') return check;
  const { status, errors } = await runProgram(['recover', '--apply', '--data', folder], {}, options.program);
  if (status !== 0) return { outcome: 'refused', violations: [`recover: exit status ${status}: ${errors}`] };
  const { outcome, violations } = await checkFolder(folder, expectation, options, true);
  return { outcome: outcome === 'started' ? 'recovered' : outcome, violations };
}

/** Checks a backup, which is a data folder. An incomplete one has no database. */
async function checkBackup(
  { name, isComplete, ...expectation }: CrashState['backups'][number],
  disk: string,
  options: CheckOptions,
): Promise<string[]> {
  const folder = path.join(disk, name);
  const isUsable = existsSync(path.join(folder, 'service.db'));
  if (!isUsable) return isComplete ? [`${name} has no database`] : [];
  const { violations } = await checkFolder(folder, expectation, options);
  return violations.map((violation) => `${name}: ${violation}`);
}

/** Writes the disk of a crash state to a new folder and checks its data folder, and some of its backups. */
export async function checkState(state: CrashState, disk: string, options: CheckOptions): Promise<Check> {
  writeTree(disk, state.tree);
  const check = state.isDatabaseLost ? checkRecovery : checkFolder;
  const { outcome, violations } = await check(path.join(disk, 'data'), state, options);
  const backups = state.backups.filter((_backup, index) => (state.number + index) % (1 / CHECKED_BACKUPS) === 0);
  for (const backup of backups) violations.push(...(await checkBackup(backup, disk, options)));
  return { outcome, violations };
}
