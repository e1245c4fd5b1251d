import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import Database from 'libsql';
import type { Calls } from '../../service/support/account.js';
import { digestOf, type Witness } from './witness.js';

/** What an audit found; `broken` is empty when every promise was held. */
export interface Findings {
  broken: string[];
  counts: Record<string, number>;
}

// The service died of it three times by our hand: that is an end as promised.
const ATTEMPTS_USED_UP = 42208;

async function auditFiles(api: Calls, witness: Witness, { broken, counts }: Findings): Promise<void> {
  const { baseUrl, token } = api;
  for (const [id, sha256] of witness.files) {
    const reply = await fetch(`${baseUrl}/web-api/operation/file/${id}`, {
      headers: { authorization: `Bearer ${token}` },
    });
    const bytes = new Uint8Array(await reply.arrayBuffer());
    if (reply.status !== 200) broken.push(`file ${id}: ${reply.status}`);
    else if (digestOf(bytes) !== sha256) broken.push(`file ${id}: other bytes`);
  }
  counts.filesEqual = witness.files.size;
}

async function auditOperations(api: Calls, witness: Witness, { broken, counts }: Findings): Promise<void> {
  const outputs = new Set<string>();
  let failed = 0;
  for (const [id, { kind, isSuccessful, outputId }] of witness.operations) {
    const { status, body } = await api.untilCompleted(id);
    if (status !== 200 || !body.isCompleted) broken.push(`operation ${id}: status ${status}`);
    if (isSuccessful !== undefined && isSuccessful !== body.isSuccessful)
      broken.push(`operation ${id}: changed its end`);
    if (!body.isSuccessful) {
      failed += 1;
      if (body.error?.code !== ATTEMPTS_USED_UP) broken.push(`operation ${id}: failed, ${JSON.stringify(body.error)}`);
      continue;
    }
    const result = (await api.get(`${id}/${kind}/result`)).body;
    const made: string = result.resultId ?? result.fileId;
    if (outputId !== undefined && outputId !== made) broken.push(`operation ${id}: another result`);
    if (outputs.has(made)) broken.push(`operation ${id}: the result of another`);
    outputs.add(made);
  }
  Object.assign(counts, { operationsEnded: witness.operations.size, diedThreeTimes: failed, results: outputs.size });
}

/** Asks the service for everything that it answered for. */
export async function auditService(api: Calls, witness: Witness): Promise<Findings> {
  const findings: Findings = { broken: [], counts: {} };
  await auditOperations(api, witness, findings);
  await auditFiles(api, witness, findings);
  return findings;
}

interface KeptRow {
  id: string;
  size: number;
}

/** Holds the folder of a stopped service against its own store: one row an output, one blob a row, nothing else. */
export function auditFolder(folder: string): Findings {
  const findings: Findings = { broken: [], counts: {} };
  const store = new Database(path.join(folder, 'service.db'), { readonly: true });
  const kept = store.prepare('select id, size from file where deleted_at is null').all() as KeptRow[];
  const [unfinished] = store
    .prepare("select count(*) as n from operation where state <> 'completed'")
    .raw()
    .all() as number[][];
  const [lost] = store
    .prepare(
      `select count(*) as n from operation left join file on file.id = operation.output_id
       where is_successful = 1 and output_id is not null and file.id is null`,
    )
    .raw()
    .all() as number[][];
  store.close();
  const blobs = path.join(folder, 'blobs');
  const names = readdirSync(blobs).flatMap((part) => readdirSync(path.join(blobs, part)));
  for (const { id, size } of kept) {
    const blob = path.join(blobs, id.slice(0, 2), id);
    if (!existsSync(blob)) findings.broken.push(`blob ${id} is missing`);
    else if (readFileSync(blob).length !== size) findings.broken.push(`blob ${id} has another size`);
  }
  if (names.length !== kept.length) findings.broken.push(`${names.length} blobs for ${kept.length} rows`);
  if (unfinished?.[0] !== 0) findings.broken.push(`${unfinished?.[0]} operations are unfinished`);
  if (lost?.[0] !== 0) findings.broken.push(`${lost?.[0]} outputs are missing`);
  const temporary = readdirSync(path.join(folder, 'temp'));
  if (temporary.length > 0) findings.broken.push(`left in temp: ${temporary.join(', ')}`);
  findings.counts = { blobs: names.length, temporaryFiles: temporary.length };
  return findings;
}
