import { randomUUID } from 'node:crypto';
import { type HeldWait, restoreWait, storeWait } from './stored-wait.js';
import { MAX_ENTRY_BYTES, type WaitJournal } from './wait-journal.js';

export type { HeldWait } from './stored-wait.js';

/** One wait at a node, kept until its message is through. */
export interface WaitLease {
  readonly wait: HeldWait;
  /** Its message is too large for the journal: a restart would lose it. */
  readonly isTooLarge: boolean;
  /** The node waits for something else with this message now. */
  update(wait: HeldWait): void;
  /** Its message is about to be sent. */
  markSending(): void;
  /** Its message is through, or dropped. */
  end(): void;
  /** Its node closes: a successor may take it. */
  release(): void;
  /** Its node has closed while its message was being sent: a successor may take it, with a copy of the message that says so. */
  releaseSent(): void;
}

export interface PendingWaitsOptions {
  /** Without one waits survive redeploys only. */
  journal?: WaitJournal | undefined;
  /** Calls back when the nodes of a deploy are there, with a way to ask whether a path is in none of its flows; answers how to stop that. */
  listen: (onStarted: (isMissing: (path: string) => boolean) => void) => () => void;
  warn: (message: string) => void;
}

interface Entry {
  key: string;
  /** The path of its node. */
  path: string;
  /** Of this process; those of an earlier one are read when they are taken. */
  wait: HeldWait | undefined;
  isLeased: boolean;
  /** The journal could not be written when it was to take this entry. */
  isUnwritten: boolean;
}

/** A node that waits are kept for. */
interface Claim {
  onStarted: () => void;
  /** It and all nodes of its deploy are there. */
  isStarted: boolean;
}

/**
 * The waits of all nodes of one user directory. They outlive their nodes: when a redeploy makes a node anew, it takes its predecessor's
 * waits with their messages as they are; after a restart it takes them from the journal, with what of the messages could be written.
 */
export class PendingWaits {
  readonly #options: PendingWaitsOptions;
  readonly #journal: WaitJournal | undefined;
  readonly #entries = new Map<string, Entry>();
  readonly #claims = new Map<string, Claim>();
  #stopListening: () => void = () => undefined;

  constructor(options: PendingWaitsOptions) {
    this.#options = options;
    const { journal } = options;
    this.#journal = journal;
    this.#readJournal();
    journal?.onRetry(() => this.#onRetry());
  }

  /**
   * There is a node of this path: what waits for it is not dropped, and it is told by `onStarted` whenever all nodes are there. Answers
   * how to say that it closes.
   */
  claim(path: string, onStarted: () => void): () => void {
    if (this.#claims.size === 0) this.#stopListening = this.#options.listen((isMissing) => this.#onStarted(isMissing));
    const claim = { onStarted, isStarted: false };
    this.#claims.set(path, claim);
    return () => {
      if (this.#claims.get(path) === claim) this.#claims.delete(path);
      if (this.#claims.size > 0) return;
      this.#stopListening();
      // When Node-RED ends this is the last that it runs of us.
      this.#journal?.endSession();
    };
  }

  /** A new wait at the node of this path. */
  register(path: string, wait: HeldWait): WaitLease {
    const entry = { key: randomUUID(), path, wait, isLeased: true, isUnwritten: false };
    this.#entries.set(entry.key, entry);
    return new EntryLease(this, entry, wait, this.#write(entry, wait));
  }

  /** What waits for the node of this path, oldest first. It is that node's from now on. */
  acquire(path: string): WaitLease[] {
    const free = [...this.#entries.values()].filter((entry) => entry.path === path && !entry.isLeased);
    return free.flatMap((entry) => {
      const wait = entry.wait ?? this.#restore(entry.key);
      // It stays where it is until it can be read.
      if (!wait) return [];
      entry.wait = wait;
      entry.isLeased = true;
      return [new EntryLease(this, entry, wait, true)];
    });
  }

  async close(): Promise<void> {
    await this.#journal?.close();
  }

  #onStarted(isMissing: (path: string) => boolean): void {
    this.#journal?.retry();
    for (const entry of [...this.#entries.values()]) this.#dropIfGone(entry, isMissing);
    for (const claim of [...this.#claims.values()]) {
      claim.isStarted = true;
      claim.onStarted();
    }
  }

  // Whether a node is there says not enough: with deploys close to one another this one's nodes may be closed again by now.
  #dropIfGone(entry: Entry, isMissing: (path: string) => boolean): void {
    if (entry.isLeased || this.#claims.has(entry.path) || !isMissing(entry.path)) return;
    const wait = entry.wait ?? this.#restore(entry.key);
    if (!wait) return;
    this.end(entry);
    this.#options.warn(`the wait for operation ${wait.operationId} is dropped: the node that waited for it is gone`);
  }

  #onRetry(): void {
    for (const entry of this.#entries.values()) {
      if (entry.isUnwritten && entry.wait) this.#tryWrite(entry, entry.wait);
      // Nor would the next one be written.
      if (entry.isUnwritten) break;
    }
    this.#readJournal();
    // Nodes that are not there yet take what is theirs when they come.
    for (const path of [...this.#claims.keys()]) this.#tellStarted(path);
  }

  // For a timer, where an error would end Node-RED: a flow may have put into the message what throws when it is read.
  #tryWrite(entry: Entry, wait: HeldWait): void {
    try {
      this.#write(entry, wait);
    } catch {
      // It goes on in memory.
    }
  }

  // Makes entries of what is in the journal and not known yet.
  #readJournal(): void {
    for (const key of this.#journal?.keys() ?? []) {
      const path = this.#entries.has(key) ? undefined : this.#journal?.read(key)?.entry.node;
      if (typeof path !== 'string') continue;
      this.#entries.set(key, { key, path, wait: undefined, isLeased: false, isUnwritten: false });
    }
  }

  /** What an entry waits for now. False where it is too large for the journal. */
  update(entry: Entry, wait: HeldWait): boolean {
    entry.wait = wait;
    return this.#write(entry, wait);
  }

  markSending(entry: Entry): void {
    entry.isUnwritten = false;
    this.#journal?.markSending(entry.key);
  }

  end({ key }: Entry): void {
    this.#entries.delete(key);
    this.#journal?.remove(key);
    if (this.#claims.size === 0) this.#journal?.endSession();
  }

  /** From here on the wait is as after a restart: the next nodes may have its message and change it. */
  releaseSent(entry: Entry): void {
    if (!this.#journal?.has(entry.key)) {
      this.end(entry);
      return;
    }
    entry.wait = undefined;
    entry.isLeased = false;
    if (this.#claims.size === 0) this.#journal.endSession();
    // The successor may be there already.
    this.#tellStarted(entry.path);
  }

  #tellStarted(path: string): void {
    const claim = this.#claims.get(path);
    if (claim?.isStarted) claim.onStarted();
  }

  // False where it is too large.
  #write(entry: Entry, wait: HeldWait): boolean {
    entry.isUnwritten = false;
    if (!this.#journal) return true;
    const stored = storeWait(entry.path, wait, MAX_ENTRY_BYTES);
    if (!stored) {
      this.#journal.remove(entry.key);
      return false;
    }
    const result = this.#journal.write(entry.key, stored);
    entry.isUnwritten = result === 'failed';
    return result !== 'too large';
  }

  #restore(key: string): HeldWait | undefined {
    const stored = this.#journal?.read(key);
    return stored && restoreWait(stored.entry, stored.isSending);
  }
}

/** There may be very many: an object each, and no functions of its own. */
class EntryLease implements WaitLease {
  readonly #waits: PendingWaits;
  readonly #entry: Entry;
  wait: HeldWait;
  isTooLarge: boolean;

  constructor(waits: PendingWaits, entry: Entry, wait: HeldWait, fits: boolean) {
    this.#waits = waits;
    this.#entry = entry;
    this.wait = wait;
    this.isTooLarge = !fits;
  }

  update(wait: HeldWait): void {
    if (wait === this.wait) return;
    this.wait = wait;
    this.isTooLarge = !this.#waits.update(this.#entry, wait);
  }

  markSending(): void {
    this.#waits.markSending(this.#entry);
  }

  end(): void {
    this.#waits.end(this.#entry);
  }

  release(): void {
    this.#entry.isLeased = false;
  }

  releaseSent(): void {
    this.#waits.releaseSent(this.#entry);
  }
}
