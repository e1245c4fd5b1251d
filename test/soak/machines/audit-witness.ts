import type { CallbackBody } from '../../../src/api/index.js';
import { computeDigest } from '../support/acknowledgment-log.js';
import type { Findings } from '../support/audit.js';
import type { RetryingClient } from './retrying-client.js';
import { ATTEMPTS_USED_UP } from './user-load.js';
import type { Witness } from './witness.js';

async function auditOperations(client: RetryingClient, { log, deleted }: Witness, { violations, counts }: Findings) {
  const outputs = new Set<string>();
  for (const [id, { kind, isSuccessful, outputId }] of log.operations) {
    const { status, body } = await client.send({ method: 'GET', route: `${id}/status` });
    if (status !== 200 || !body.isCompleted) violations.push(`${kind} ${id}: ${status} ${JSON.stringify(body)}`);
    else if (isSuccessful !== undefined && body.isSuccessful !== isSuccessful)
      violations.push(`${id}: another outcome`);
    if (body.error?.code === ATTEMPTS_USED_UP) counts.usedUp = (counts.usedUp ?? 0) + 1;
    if (!body.isSuccessful) continue;
    counts.successes = (counts.successes ?? 0) + 1;
    const result = await client.send({ method: 'GET', route: `${id}/${kind}/result` });
    const isDeleted = outputId !== undefined && deleted.has(outputId);
    if (result.status !== (isDeleted ? 410 : 200)) violations.push(`the result of ${id}: ${result.status}`);
    if (isDeleted) continue;
    const storedId: string = result.body.resultId ?? result.body.fileId;
    if (outputId !== undefined && outputId !== storedId) violations.push(`${id}: another output`);
    if (outputs.has(storedId)) violations.push(`${id}: the output of another operation`);
    outputs.add(storedId);
  }
}

async function auditFiles(client: RetryingClient, { log, deleted }: Witness, { violations, counts }: Findings) {
  for (const [id, sha256] of log.files) {
    const { status, bytes } = await client.send({ method: 'GET', route: `file/${id}`, timeoutMs: 60_000 });
    const expected = deleted.has(id) ? 410 : 200;
    if (status !== expected) violations.push(`file ${id}: ${status} instead of ${expected}`);
    else if (status === 200 && computeDigest(bytes) !== sha256) violations.push(`file ${id}: other bytes`);
    const name = expected === 200 ? 'filesEqual' : 'filesDeleted';
    counts[name] = (counts[name] ?? 0) + 1;
  }
}

/** Asks the service for everything that it has acknowledged to a user. */
export async function auditWitness(client: RetryingClient, witness: Witness): Promise<Findings> {
  const findings: Findings = { violations: [], counts: {} };
  await auditOperations(client, witness, findings);
  await auditFiles(client, witness, findings);
  return findings;
}

/** Compares the callbacks that were received with the outcomes. Each may come more than once, with the same outcome. */
export function auditCallbacks(bodies: readonly CallbackBody[], witnesses: readonly Witness[]): Findings {
  const findings: Findings = { violations: [], counts: {} };
  const received = new Map<string, string>();
  for (const { operationId, isSuccessful } of bodies) {
    if ((received.get(operationId) ?? isSuccessful) !== isSuccessful)
      findings.violations.push(`two callbacks of ${operationId} differ`);
    received.set(operationId, isSuccessful);
  }
  for (const { callbacks, log } of witnesses) {
    for (const id of callbacks) {
      if (received.get(id) !== String(log.operations.get(id)?.isSuccessful))
        findings.violations.push(`the callback of ${id} is missing or wrong: ${received.get(id)}`);
    }
  }
  findings.counts = { callbacks: received.size, repeatedCallbacks: bodies.length - received.size };
  return findings;
}
