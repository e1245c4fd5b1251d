import type { FileRecord, OperationRecord, Report, VerdictSummary } from '../../api/index.js';
import { requestJson } from '../requests/requests.js';

const PAGE_SIZE = 1000;
const MAX_PAGES = 20;
/** Longer than the service waits: without a reply after this time, the connection was lost. */
const COMPLETED_TIMEOUT_MS = 8000;

interface Page<Entry> {
  entries: Entry[];
  next?: string;
}

async function readAll<Entry>(read: (query: string) => Promise<Page<Entry>>): Promise<Entry[]> {
  const entries: Entry[] = [];
  let before = '';
  for (let count = 0; count < MAX_PAGES; count++) {
    const page = await read(`?limit=${PAGE_SIZE}${before}`);
    entries.push(...page.entries);
    if (page.next === undefined) break;
    before = `&before=${page.next}`;
  }
  return entries;
}

async function readOperations(query: string): Promise<Page<OperationRecord>> {
  const { operations, ...more } = await requestJson<{ operations: OperationRecord[]; next?: string }>(
    `web-api/operation${query}`,
  );
  return { entries: operations, ...more };
}

async function readFiles(query: string): Promise<Page<FileRecord>> {
  const { files, ...more } = await requestJson<{ files: FileRecord[]; next?: string }>(
    `web-api/operation/file${query}`,
  );
  return { entries: files, ...more };
}

/** Requests the newest operations of the user. Throws `RequestError`, as all functions of this module. */
export async function requestOperations(limit: number): Promise<OperationRecord[]> {
  return (await readOperations(`?limit=${limit}`)).entries;
}

/** Requests all operations of the user, up to 20,000, newest first. */
export function requestAllOperations(): Promise<OperationRecord[]> {
  return readAll(readOperations);
}

/** Requests all stored files and models of the user, up to 20,000, newest first. */
export function requestAllFiles(): Promise<FileRecord[]> {
  return readAll(readFiles);
}

/** A completed operation with its report, if it has one. */
export type CompletedOperation = OperationRecord & { report?: Report };

/** Waits up to 3 s until one of up to 100 operations is completed, and resolves with those that are. */
export async function requestCompleted(ids: readonly string[]): Promise<CompletedOperation[]> {
  const path = `ui/operations?ids=${ids.join()}`;
  const options = { timeoutMs: COMPLETED_TIMEOUT_MS };
  return (await requestJson<{ operations: CompletedOperation[] }>(path, options)).operations;
}

/** The replies of `requestVerdicts`: operation → its verdict, null if it has none. */
type VerdictSummaries = Readonly<Record<string, VerdictSummary | null>>;

/** Requests the verdicts of up to 100 operations, without reasons; null for one without a verdict. */
export async function requestVerdicts(ids: readonly string[]): Promise<VerdictSummaries> {
  return (await requestJson<{ verdicts: VerdictSummaries }>(`ui/verdicts?ids=${ids.join()}`)).verdicts;
}
