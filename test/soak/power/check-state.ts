import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { callsWith, logIn } from '../../service/support/account.js';
import { startProgram } from '../../service/support/program.js';
import { checkAnswered, checkUnanswered } from './check-facts.js';
import type { CrashState } from './crash-states.js';
import { writeTree } from './tree-files.js';
import type { Fact } from './witness.js';

/** `refused`: the service does not start, because its database is damaged. */
export interface Check {
  outcome: 'started' | 'refused';
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
  digests: Map<string, string>,
): Promise<string[]> {
  const { baseUrl, token } = await logIn(folder);
  const api = callsWith(baseUrl, token);
  const checks = { api, folder, digests };
  const violations: (string | undefined)[] = [];
  const describeFact = (fact: Fact): string => `${fact.type} ${'id' in fact ? fact.id : ''}`;
  for (const fact of answered) violations.push(await runCheck(() => checkAnswered(fact, checks), describeFact(fact)));
  for (const fact of unanswered)
    violations.push(await runCheck(() => checkUnanswered(fact, checks), describeFact(fact)));
  const { status } = await api.upload('new', 'new.stl');
  if (status !== 200) violations.push(`a new upload: status ${status}`);
  const temporary = readdirSync(path.join(folder, 'temp'));
  if (temporary.length > 0) violations.push(`remaining in temp: ${temporary.join(', ')}`);
  return violations.filter((violation) => violation !== undefined);
}

/** Starts a service on a data folder and compares everything that it knows with what was answered. */
async function checkFolder(folder: string, expectation: Expectation, options: CheckOptions): Promise<Check> {
  const args = ['serve', '--port', '0', '--data', folder, '--workers', '1', '--memory', '512M', '--log-level', 'error'];
  const service = startProgram(args, {}, options.program);
  try {
    const listening = new Promise<string>((resolve) => {
      service.child.stdout?.once('data', () => resolve('started'));
      AbortSignal.timeout(START_TIMEOUT_MS).addEventListener('abort', () => resolve('none, it does not start'));
    });
    const status = await Promise.race([listening, service.ended]);
    if (status !== 'started') return { outcome: 'refused', violations: [`exit status ${status}: ${service.errors()}`] };
    return { outcome: 'started', violations: await checkService(folder, expectation, options.digests) };
  } finally {
    service.child.kill('SIGKILL');
    await service.ended;
  }
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
  const { outcome, violations } = await checkFolder(path.join(disk, 'data'), state, options);
  const backups = state.backups.filter((_backup, index) => (state.number + index) % (1 / CHECKED_BACKUPS) === 0);
  for (const backup of backups) violations.push(...(await checkBackup(backup, disk, options)));
  return { outcome, violations };
}
