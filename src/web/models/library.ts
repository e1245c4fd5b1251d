import type { FileRecord, OperationRecord, OperationStatus, Report } from '../../api/index.js';
import { describeError, RequestError, requestJson } from '../requests/requests.js';
import { createItems, type Item, idOf, outputOf } from './items.js';

const [MIN_DELAY_MS, MAX_WORKING_DELAY_MS, MAX_IDLE_DELAY_MS] = [60, 2000, 15_000];
const DELAY_FACTOR = 1.2;
const PAGE_SIZE = 1000;
const MAX_PAGES = 20;
/** The length of the list that is polled. Operations that are not in it are asked for one by one. */
const POLLED_SIZE = 100;
const MAX_SINGLE_POLLS = 10;
/** Files also expire: the list of them is read again after this time. */
const FILES_INTERVAL_MS = 60_000;

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

/**
 * The files and operations of the user, as the service knows them. It is polled: often while something happens, then less
 * and less.
 */
export class Library {
  readonly #files = new Map<string, FileRecord>();
  readonly #operations = new Map<string, OperationRecord>();
  readonly #reports = new Map<string, Report | undefined>();
  readonly #loadingReports = new Set<string>();
  readonly #onChange: () => void;
  #items: Item[] | undefined;
  #delayMs = MIN_DELAY_MS;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isPolling: boolean = false;
  #isStopped: boolean = true;
  #filesReadAt = 0;
  /** Whether an operation completed that the polled part of the list does not contain. */
  #lacksResults: boolean = false;
  /** Why the last poll failed; `undefined` if it did not. */
  problem: string | undefined;
  isLoaded: boolean = false;

  constructor(onChange: () => void) {
    this.#onChange = onChange;
    document.addEventListener('visibilitychange', () => {
      if (!document.hidden) this.expedite();
    });
    addEventListener('online', () => this.expedite());
  }

  /** Newest first. */
  get items(): readonly Item[] {
    this.#items ??= createItems(this.#files.values(), this.#operations.values());
    return this.#items;
  }

  find(itemId: string): Item | undefined {
    return this.items.find(({ id }) => id === itemId);
  }

  isStored = (id: string): boolean => this.#files.has(id);

  /** Returns the name of a stored file; `undefined` if it is not stored. */
  filenameOf(id: string): string | undefined {
    return this.#files.get(id)?.filename;
  }

  /** Reads everything, and polls from then on. */
  start(): void {
    if (!this.#isStopped) return;
    this.#isStopped = false;
    this.#filesReadAt = 0;
    this.expedite();
  }

  /** Ends the polling, for example because the session has ended. */
  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  /** Polls soon, because something was started. */
  expedite(): void {
    this.#delayMs = this.#unfinished.length > 8 ? MIN_DELAY_MS * 8 : MIN_DELAY_MS;
    this.#schedule();
  }

  /** Adds a file that was just uploaded. */
  addFile(file: FileRecord): void {
    this.#files.set(idOf(file), file);
    this.#changed();
  }

  /** Adds an operation that was just started. */
  addOperation(operation: OperationRecord): void {
    if (!this.#operations.has(operation.operationId)) this.#operations.set(operation.operationId, operation);
    this.#changed();
    this.expedite();
  }

  /** Forgets a file or model that was deleted. */
  removeFile(id: string): void {
    this.#files.delete(id);
    this.#changed();
    this.expedite();
  }

  /** Returns the report of an operation, which it requests first: `undefined` until then, and if there is none. */
  requestReport(operationId: string): Report | undefined {
    if (!this.#reports.has(operationId) && !this.#loadingReports.has(operationId)) void this.#loadReport(operationId);
    return this.#reports.get(operationId);
  }

  async #loadReport(operationId: string): Promise<void> {
    this.#loadingReports.add(operationId);
    try {
      const { report } = await requestJson<OperationStatus>(`web-api/operation/${operationId}/status`);
      this.#reports.set(operationId, report);
      this.#onChange();
    } catch (error) {
      if (error instanceof RequestError && error.status === 404) this.#reports.set(operationId, undefined);
    } finally {
      this.#loadingReports.delete(operationId);
    }
  }

  get #unfinished(): OperationRecord[] {
    return [...this.#operations.values()].filter(({ isCompleted }) => !isCompleted);
  }

  #changed(): void {
    this.#items = undefined;
    this.#onChange();
  }

  #schedule(): void {
    clearTimeout(this.#timer);
    if (!this.#isStopped && !this.#isPolling) this.#timer = setTimeout(() => void this.#poll(), this.#delayMs);
  }

  async #poll(): Promise<void> {
    this.#isPolling = true;
    const delayMs = this.#delayMs;
    try {
      await this.#read();
      if (this.problem !== undefined || !this.isLoaded) this.#changed();
      this.problem = undefined;
      this.isLoaded = true;
    } catch (error) {
      this.problem = describeError(error);
      this.#onChange();
    }
    this.#isPolling = false;
    const isWorking = this.#unfinished.length > 0 || this.problem !== undefined;
    // Something may have been started meanwhile: then the delay is shorter already.
    const next = Math.min(this.#delayMs < delayMs ? this.#delayMs : delayMs * DELAY_FACTOR, MAX_IDLE_DELAY_MS);
    this.#delayMs = isWorking ? Math.min(next, MAX_WORKING_DELAY_MS) : next;
    this.#schedule();
  }

  async #read(): Promise<void> {
    if (this.isLoaded && !this.#lacksResults) await this.#readLatest();
    else {
      this.#merge(await readAll(readOperations));
      this.#lacksResults = false;
    }
    if (Date.now() - this.#filesReadAt < FILES_INTERVAL_MS) return;
    const startedAt = Date.now();
    const files = await readAll(readFiles);
    const ids = new Set(files.map(idOf));
    for (const [id, { creationDate }] of this.#files) {
      // A file that was stored while the list was read may be missing in it.
      if (!ids.has(id) && Date.parse(creationDate) < startedAt - FILES_INTERVAL_MS / 2) this.#files.delete(id);
    }
    for (const file of files) this.#files.set(idOf(file), file);
    this.#filesReadAt = startedAt;
    this.#changed();
  }

  async #readLatest(): Promise<void> {
    const { entries } = await readOperations(`?limit=${POLLED_SIZE}`);
    const listed = new Set(entries.map(({ operationId }) => operationId));
    const others = this.#unfinished.filter(({ operationId }) => !listed.has(operationId)).slice(0, MAX_SINGLE_POLLS);
    for (const operation of others) {
      const status = await requestJson<OperationStatus>(`web-api/operation/${operation.operationId}/status`);
      if (status.isCompleted) this.#lacksResults = true; // only the list has the id of the output
    }
    this.#merge(entries);
  }

  #merge(operations: readonly OperationRecord[]): void {
    let isChanged = false;
    for (const operation of operations) {
      const known = this.#operations.get(operation.operationId);
      if (known?.isCompleted || JSON.stringify(known) === JSON.stringify(operation)) continue;
      this.#operations.set(operation.operationId, operation);
      isChanged = true;
      if (this.isLoaded) this.#addOutput(operation);
    }
    if (!isChanged) return;
    if (this.isLoaded) this.#delayMs = Math.min(this.#delayMs, MIN_DELAY_MS * 4);
    this.#changed();
  }

  /** Adds what an operation has just created. Its size is known when the list of files is read again. */
  #addOutput(operation: OperationRecord): void {
    const id = outputOf(operation);
    const { filename = '', finishedAt = new Date().toISOString(), resultId, fileId } = operation;
    const common = { filename, size: 0, creationDate: finishedAt };
    if (id === undefined || this.#files.has(id)) return;
    if (operation.operation === 'export') this.#filesReadAt = 0; // only the list of files has its name
    if (resultId !== undefined) this.#files.set(id, { ...common, kind: 'model', resultId });
    else if (fileId !== undefined) this.#files.set(id, { ...common, kind: 'file', fileId });
  }
}
