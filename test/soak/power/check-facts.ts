import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { askForToken, type Calls } from '../../service/support/account.js';
import { readCredentials } from '../../service/support/running.js';
import { computeDigest } from '../support/acknowledgment-log.js';
import type { Fact } from './witness.js';

async function download(api: Calls, id: string): Promise<{ status: number; sha256: string }> {
  const headers = { authorization: `Bearer ${api.token}` };
  const reply = await fetch(`${api.baseUrl}/web-api/operation/file/${id}`, { headers });
  return { status: reply.status, sha256: computeDigest(new Uint8Array(await reply.arrayBuffer())) };
}

/** What the checks of one data folder need. */
export interface Checks {
  api: Calls;
  folder: string;
  /** The database was rebuilt from the records: operations may be unknown. */
  isRecovered: boolean;
  /** Id of each output → SHA-256 of its bytes. */
  digests: Map<string, string>;
}

/** Returns what is wrong with the result of a completed operation. */
async function checkResult({ id, kind }: Fact & { type: 'completed' }, outputId: string, api: Calls) {
  const { body: status } = await api.get(`${id}/status`);
  if (!status.isCompleted) return `operation ${id} (${kind}): no longer completed`;
  const { body } = await api.get(`${id}/${kind}/result`);
  return (body.resultId ?? body.fileId) === outputId ? undefined : `operation ${id}: different result`;
}

/** Returns what is wrong with something that was answered before the power loss. */
export async function checkAnswered(fact: Fact, checks: Checks): Promise<string | undefined> {
  const { api, folder, digests, isRecovered } = checks;
  switch (fact.type) {
    case 'file': {
      const { status, sha256 } = await download(api, fact.id);
      if (fact.mayExpire && [404, 410].includes(status)) return undefined;
      if (status !== 200) return `file ${fact.id}: status ${status}`;
      return sha256 === fact.sha256 ? undefined : `file ${fact.id}: wrong bytes`;
    }
    case 'deleted': {
      const { status } = await download(api, fact.id);
      return status === 410 || (isRecovered && status === 404)
        ? undefined
        : `deleted file ${fact.id}: status ${status}`;
    }
    case 'started': {
      if (isRecovered) return checkUnanswered(fact, checks);
      const { status, body } = await api.untilCompleted(fact.id);
      const isCorrect = status === 200 && body.isSuccessful;
      return isCorrect ? undefined : `operation ${fact.id} (${fact.kind}): ${status} ${JSON.stringify(body)}`;
    }
    case 'completed': {
      const outputId = fact.result.resultId ?? fact.result.fileId ?? '';
      const violation = isRecovered ? undefined : await checkResult(fact, outputId, api);
      if (violation !== undefined) return violation;
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
    case 'backup':
      return undefined; // it is in another folder
    case 'credentials': {
      const { username, clientId } = await readCredentials(folder);
      const isSame = username === fact.username && clientId === fact.clientId;
      return isSame ? undefined : 'credentials.json has another account';
    }
  }
}

/** Returns what is wrong with something that had not been answered: it may be missing, but not wrong. */
export async function checkUnanswered(fact: Fact, { api }: Checks): Promise<string | undefined> {
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
