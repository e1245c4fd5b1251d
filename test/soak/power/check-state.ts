import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { askForToken, type Calls, callsWith, logIn } from '../../service/support/account.js';
import { startProgram } from '../../service/support/program.js';
import { readCredentials } from '../../service/support/running.js';
import { computeDigest } from '../support/acknowledgment-log.js';
import type { CrashState } from './crash-states.js';
import { writeTree } from './tree-files.js';
import type { Fact } from './witness.js';

/** `refused`: the service does not start, because its database is damaged. */
export interface Check {
  outcome: 'started' | 'refused';
  violations: string[];
}

const START_TIMEOUT_MS = 60_000;
const REFUSED_STATUS = 5;

async function download(api: Calls, id: string): Promise<{ status: number; sha256: string }> {
  const headers = { authorization: `Bearer ${api.token}` };
  const reply = await fetch(`${api.baseUrl}/web-api/operation/file/${id}`, { headers });
  return { status: reply.status, sha256: computeDigest(new Uint8Array(await reply.arrayBuffer())) };
}

/** What the checks of one state need. */
interface Checks {
  api: Calls;
  folder: string;
  digests: Map<string, string>;
}

/** Returns what is wrong with something that was answered before the power loss. */
async function checkAnswered(fact: Fact, { api, folder, digests }: Checks): Promise<string | undefined> {
  switch (fact.type) {
    case 'file': {
      const { status, sha256 } = await download(api, fact.id);
      if (fact.mayExpire && status === 410) return undefined;
      if (status !== 200) return `file ${fact.id}: status ${status}`;
      return sha256 === fact.sha256 ? undefined : `file ${fact.id}: wrong bytes`;
    }
    case 'deleted': {
      const { status } = await download(api, fact.id);
      return status === 410 ? undefined : `deleted file ${fact.id}: status ${status}`;
    }
    case 'started': {
      const { status, body } = await api.untilCompleted(fact.id);
      const isCorrect = status === 200 && body.isSuccessful;
      return isCorrect ? undefined : `operation ${fact.id} (${fact.kind}): ${status} ${JSON.stringify(body)}`;
    }
    case 'completed': {
      const { body: status } = await api.get(`${fact.id}/status`);
      if (!status.isCompleted) return `operation ${fact.id} (${fact.kind}): no longer completed`;
      const { body } = await api.get(`${fact.id}/${fact.kind}/result`);
      const outputId = fact.result.resultId ?? fact.result.fileId ?? '';
      if ((body.resultId ?? body.fileId) !== outputId) return `operation ${fact.id}: different result`;
      const blob = path.join(folder, 'blobs', outputId.slice(0, 2), outputId);
      if (!existsSync(blob)) return `output ${outputId} of ${fact.kind}: missing`;
      const isSame = computeDigest(readFileSync(blob)) === digests.get(outputId);
      return isSame ? undefined : `output ${outputId} of ${fact.kind}: wrong bytes`;
    }
    case 'account': {
      const { username, password } = fact;
      const { status } = await askForToken(folder, { grant_type: 'password', username, password });
      return status === 200 ? undefined : `user ${username}: status ${status}`;
    }
    case 'credentials': {
      const { username, clientId } = await readCredentials(folder);
      const isSame = username === fact.username && clientId === fact.clientId;
      return isSame ? undefined : 'credentials.json has another account';
    }
  }
}

/** Returns what is wrong with something that had not been answered: it may be missing, but not wrong. */
async function checkUnanswered(fact: Fact, { api }: Checks): Promise<string | undefined> {
  if (fact.type === 'file') {
    const { status, sha256 } = await download(api, fact.id);
    if (status !== 200) return [404, 410].includes(status) ? undefined : `unanswered file ${fact.id}: status ${status}`;
    return sha256 === fact.sha256 ? undefined : `unanswered file ${fact.id}: wrong bytes`;
  }
  if (fact.type !== 'started') return undefined;
  const { status, body } = await api.untilCompleted(fact.id);
  if (status === 404 || (status === 200 && body.isSuccessful)) return undefined;
  return `unanswered operation ${fact.id} (${fact.kind}): ${status} ${JSON.stringify(body)}`;
}

async function checkService(state: CrashState, folder: string, digests: Map<string, string>): Promise<string[]> {
  const api = await logIn(folder);
  const checks = { api: callsWith(api.baseUrl, api.token), folder, digests };
  const violations: (string | undefined)[] = [];
  for (const fact of state.answered) violations.push(await checkAnswered(fact, checks));
  for (const fact of state.unanswered) violations.push(await checkUnanswered(fact, checks));
  const { status } = await api.upload('new', 'new.stl');
  if (status !== 200) violations.push(`a new upload: status ${status}`);
  const temporary = readdirSync(path.join(folder, 'temp'));
  if (temporary.length > 0) violations.push(`remaining in temp: ${temporary.join(', ')}`);
  return violations.filter((violation) => violation !== undefined);
}

/** Starts a service on the folder of a crash state and compares everything that it knows with what was answered. */
export async function checkState(
  state: CrashState,
  folder: string,
  { program, digests }: { program: string; digests: Map<string, string> },
): Promise<Check> {
  writeTree(folder, state.tree);
  const args = ['serve', '--port', '0', '--data', folder, '--workers', '1', '--memory', '512M', '--log-level', 'error'];
  const service = startProgram(args, {}, program);
  try {
    const deadline = AbortSignal.timeout(START_TIMEOUT_MS);
    const listening = new Promise<string>((resolve, reject) => {
      service.child.stdout?.once('data', () => resolve('started'));
      deadline.addEventListener('abort', () => reject(new Error('The service did not start in time.')));
    });
    const status = await Promise.race([listening, service.ended]);
    if (status === REFUSED_STATUS) return { outcome: 'refused', violations: [service.errors()] };
    if (status !== 'started') return { outcome: 'refused', violations: [`exit status ${status}: ${service.errors()}`] };
    return { outcome: 'started', violations: await checkService(state, folder, digests) };
  } finally {
    service.child.kill('SIGKILL');
    await service.ended;
  }
}
