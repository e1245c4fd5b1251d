import type { FileRecord, OperationRecord, OperationStatus } from '../../api/index.js';
import { describeError, RequestError, requestJson } from '../requests/requests.js';
import { CompletionWaits } from './completion-waits.js';
import { createItems, type Item, idOf, outputOf } from './items.js';
import { Reports } from './reports.js';
import { type CompletedOperation, requestAllFiles, requestAllOperations, requestOperations } from './service-lists.js';

/** Delays between polls while something happens, and otherwise. Both grow to their maximum. */
const WORKING = { minMs: 500, maxMs: 2000, factor: 1.3 };
const IDLE = { minMs: 1000, maxMs: 15_000, factor: 1.5 };
/** The length of the list that is polled. Operations that are not in it are asked for one by one. */
const POLLED_SIZE = 100;
const MAX_SINGLE_POLLS = 10;
/** Files also expire: the list of them is read again after this time. */
const FILES_INTERVAL_MS = 60_000;
/** With more unfinished operations, the page does not wait for single ones: it would be drawn all the time. */
const MAX_AWAITED = 8;

/**
 * The files and operations of the user, as the service knows them. It is polled: often while something happens, then less
 * and less. For the operations that this page has started, the service replies as soon as one is completed.
 */
export class Library {
  readonly reports: Reports;
  readonly #files = new Map<string, FileRecord>();
  readonly #operations = new Map<string, OperationRecord>();
  /** The operations that this page has started. */
  readonly #startedIds = new Set<string>();
  readonly #waits: CompletionWaits;
  readonly #onChange: () => void;
  readonly #hasFreeConnection: () => boolean;
  #items: readonly Item[] = [];
  #hasItems: boolean = false;
  #delayMs = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isPolling: boolean = false;
  #isStopped: boolean = true;
  #filesReadAt = 0;
  /** Whether an operation completed that the polled part of the list does not contain. */
  #lacksResults: boolean = false;
  /** Why the last poll failed; `undefined` if it did not. */
  problem: string | undefined;
  isLoaded: boolean = false;

  /** `hasFreeConnection`: returns whether the page may keep a connection of the browser open. */
  constructor(onChange: () => void, hasFreeConnection: () => boolean) {
    this.#onChange = onChange;
    this.#hasFreeConnection = hasFreeConnection;
    this.reports = new Reports(onChange);
    this.#waits = new CompletionWaits({ findIds: () => this.#findAwaited(), onCompleted: this.#addCompleted });
    document.addEventListener('visibilitychange', () => {
      if (!document.hidden) this.#schedule(0);
    });
    addEventListener('online', () => this.#schedule(0));
  }

  /** Newest first. An item that has not changed is the same object as before. */
  get items(): readonly Item[] {
    if (!this.#hasItems) this.#items = createItems(this.#files.values(), this.#operations.values(), this.#items);
    this.#hasItems = true;
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
    this.#schedule(0);
  }

  /** Ends the polling, for example because the session has ended. */
  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  /** Polls at once, because something was changed. */
  expedite(): void {
    this.#schedule(0);
  }

  /** Adds a file that was just uploaded. */
  addFile(file: FileRecord): void {
    this.#files.set(idOf(file), file);
    this.#changed();
  }

  /** Adds an operation that was just started. */
  addOperation(operation: OperationRecord): void {
    const { operationId } = operation;
    if (!this.#operations.has(operationId)) this.#operations.set(operationId, operation);
    this.#startedIds.add(operationId);
    this.#changed();
    this.#schedule(WORKING.minMs);
    void this.#waits.run();
  }

  /** Forgets a file or model that was deleted. */
  removeFile(id: string): void {
    this.#files.delete(id);
    this.#changed();
    this.expedite();
  }

  get #unfinished(): OperationRecord[] {
    return [...this.#operations.values()].filter(({ isCompleted }) => !isCompleted);
  }

  #changed(): void {
    this.#hasItems = false;
    this.#onChange();
  }

  #schedule(delayMs: number): void {
    this.#delayMs = delayMs;
    clearTimeout(this.#timer);
    if (!this.#isStopped && !this.#isPolling) this.#timer = setTimeout(() => void this.#poll(), delayMs);
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
    // Something may have been started meanwhile: then the delay is shorter already.
    if (this.#delayMs < delayMs) this.#schedule(this.#delayMs);
    else this.#scheduleNext(delayMs);
    void this.#waits.run();
  }

  #scheduleNext(delayMs: number): void {
    const isWorking = this.#unfinished.length > 0 || this.problem !== undefined;
    const { minMs, maxMs, factor } = isWorking ? WORKING : IDLE;
    this.#schedule(Math.min(Math.max(delayMs * factor, minMs), maxMs));
  }

  /** Returns the operations of this page that it waits for with a request. */
  #findAwaited(): string[] {
    // A hidden page, and one that uploads, leave the few connections of the browser to others.
    if (this.#isStopped || document.hidden || !this.#hasFreeConnection()) return [];
    const unfinished = this.#unfinished.map(({ operationId }) => operationId);
    return unfinished.length > MAX_AWAITED ? [] : unfinished.filter((id) => this.#startedIds.has(id));
  }

  #addCompleted = (completed: readonly CompletedOperation[]): void => {
    const operations = completed.map(({ report, ...operation }) => {
      this.reports.add(operation.operationId, report);
      return operation;
    });
    this.#merge(operations);
  };

  async #read(): Promise<void> {
    if (this.isLoaded && !this.#lacksResults) await this.#readLatest();
    else {
      this.#merge(await requestAllOperations());
      this.#lacksResults = false;
    }
    if (Date.now() - this.#filesReadAt >= FILES_INTERVAL_MS) await this.#readFiles();
  }

  async #readFiles(): Promise<void> {
    const startedAt = Date.now();
    const files = await requestAllFiles();
    const ids = new Set(files.map(idOf));
    for (const [id, { creationDate }] of this.#files) {
      // A file that was stored while the list was read may be missing in it.
      if (!ids.has(id) && Date.parse(creationDate) < startedAt - FILES_INTERVAL_MS / 2) this.#files.delete(id);
    }
    for (const file of files) {
      if (JSON.stringify(this.#files.get(idOf(file))) !== JSON.stringify(file)) this.#files.set(idOf(file), file);
    }
    this.#filesReadAt = startedAt;
    this.#changed();
  }

  async #readLatest(): Promise<void> {
    const entries = await requestOperations(POLLED_SIZE);
    const listed = new Set(entries.map(({ operationId }) => operationId));
    const others = this.#unfinished.filter(({ operationId }) => !listed.has(operationId)).slice(0, MAX_SINGLE_POLLS);
    for (const { operationId } of others) await this.#readStatus(operationId);
    this.#merge(entries.filter(({ operationId, isCompleted }) => !isCompleted || !this.#waits.includes(operationId)));
  }

  /** Asks for the status of an unfinished operation that the list does not contain. */
  async #readStatus(operationId: string): Promise<void> {
    try {
      const { isCompleted } = await requestJson<OperationStatus>(`web-api/operation/${operationId}/status`);
      if (isCompleted) this.#lacksResults = true; // only the list has the id of the output
    } catch (error) {
      if (!(error instanceof RequestError && error.isMissing)) throw error;
      this.#operations.delete(operationId); // its record was deleted
      this.#filesReadAt = 0;
      this.#changed();
    }
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
    this.#delayMs = Math.min(this.#delayMs, WORKING.minMs);
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
