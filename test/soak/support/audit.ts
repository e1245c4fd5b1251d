import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import Database from 'libsql';
import type { Calls } from '../../service/support/account.js';
import { listTemporaryFiles } from '../../service/support/temporary-files.js';
import { type AcknowledgmentLog, computeDigest } from './acknowledgment-log.js';

/** The result of an audit. `violations` is empty if the service kept everything that it acknowledged. */
export interface Findings {
  violations: string[];
  counts: Record<string, number>;
}

// The service was killed ten times during the operation. Documented behavior, not a violation.
const ATTEMPTS_USED_UP = 42208;

/** Downloads all acknowledged files and compares their digests. */
async function auditFiles(api: Calls, log: AcknowledgmentLog, { violations, counts }: Findings): Promise<void> {
  const { baseUrl, token } = api;
  for (const [id, sha256] of log.files) {
    const reply = await fetch(`${baseUrl}/web-api/operation/file/${id}`, {
      headers: { authorization: `Bearer ${token}` },
    });
    const bytes = new Uint8Array(await reply.arrayBuffer());
    if (reply.status !== 200) violations.push(`file ${id}: ${reply.status}`);
    else if (computeDigest(bytes) !== sha256) violations.push(`file ${id}: different bytes`);
  }
  counts.filesEqual = log.files.size;
}

/** Waits for all acknowledged operations and compares their outcomes. */
async function auditOperations(api: Calls, log: AcknowledgmentLog, { violations, counts }: Findings): Promise<void> {
  const outputs = new Set<string>();
  let failed = 0;
  for (const [id, { kind, isSuccessful, outputId: acknowledgedId }] of log.operations) {
    const { status, body } = await api.untilCompleted(id);
    if (status !== 200 || !body.isCompleted) violations.push(`operation ${id}: status ${status}`);
    if (isSuccessful !== undefined && isSuccessful !== body.isSuccessful)
      violations.push(`operation ${id}: different outcome`);
    if (!body.isSuccessful) {
      failed += 1;
      if (body.error?.code !== ATTEMPTS_USED_UP)
        violations.push(`operation ${id}: failed, ${JSON.stringify(body.error)}`);
      continue;
    }
    const result = (await api.get(`${id}/${kind}/result`)).body;
    const outputId: string = result.resultId ?? result.fileId;
    if (acknowledgedId !== undefined && acknowledgedId !== outputId)
      violations.push(`operation ${id}: different result`);
    if (outputs.has(outputId)) violations.push(`operation ${id}: the result of another operation`);
    outputs.add(outputId);
  }
  Object.assign(counts, { operationsCompleted: log.operations.size, killedTenTimes: failed, results: outputs.size });
}

/** Reads everything from the service that it has acknowledged. */
export async function auditService(api: Calls, log: AcknowledgmentLog): Promise<Findings> {
  const findings: Findings = { violations: [], counts: {} };
  await auditOperations(api, log, findings);
  await auditFiles(api, log, findings);
  return findings;
}

interface FileRow {
  id: string;
  size: number;
}

/**
 * Compares the folder of a stopped service with its store: one row per output, one blob and one record per row, and no
 * other files.
 */
export function auditFolder(folder: string): Findings {
  const findings: Findings = { violations: [], counts: {} };
  const store = new Database(path.join(folder, 'service.db'), { readonly: true });
  const rows = store.prepare('select id, size from file where deleted_at is null').all() as FileRow[];
  const [unfinished] = store
    .prepare("select count(*) as n from operation where state <> 'completed'")
    .raw()
    .all() as number[][];
  const [missing] = store
    .prepare(
      `select count(*) as n from operation left join file on file.id = operation.output_id
       where is_successful = 1 and output_id is not null and file.id is null`,
    )
    .raw()
    .all() as number[][];
  store.close();
  const blobs = path.join(folder, 'blobs');
  const names = readdirSync(blobs).flatMap((part) => readdirSync(path.join(blobs, part)));
  for (const { id, size } of rows) {
    const blob = path.join(blobs, id.slice(0, 2), id);
    if (!existsSync(blob)) findings.violations.push(`blob ${id} is missing`);
    else if (readFileSync(blob).length !== size) findings.violations.push(`blob ${id} has a different size`);
    if (!existsSync(`${blob}.json`)) findings.violations.push(`the record of ${id} is missing`);
  }
  if (names.length !== 2 * rows.length) findings.violations.push(`${names.length} files for ${rows.length} rows`);
  if (unfinished?.[0] !== 0) findings.violations.push(`${unfinished?.[0]} operations are not completed`);
  if (missing?.[0] !== 0) findings.violations.push(`${missing?.[0]} outputs are missing`);
  const temporary = listTemporaryFiles(folder);
  if (temporary.length > 0) findings.violations.push(`remaining in temp: ${temporary.join(', ')}`);
  findings.counts = { blobs: rows.length, temporaryFiles: temporary.length };
  return findings;
}
