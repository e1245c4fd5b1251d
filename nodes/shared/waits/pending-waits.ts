import { randomUUID } from 'node:crypto';
import { type PendingWait, restoreWait, serializeWait } from './stored-wait.js';
import { MAX_ENTRY_BYTES, type WaitJournal } from './wait-journal.js';
import type { WaitLease } from './wait-lease.js';

export type { PendingWait } from './stored-wait.js';
export type { WaitLease } from './wait-lease.js';

/** The dependencies of `PendingWaits`. */
export interface PendingWaitsOptions {
  /** Default: none. Waits then survive redeploys only. */
  journal?: WaitJournal | undefined;
  /**
   * Calls `onStarted` when the nodes of a deploy have started, with a function that tells whether the node of a path is
   * in none of its flows. Returns a function that unsubscribes.
   */
  listen: (onStarted: (isMissing: (path: string) => boolean) => void) => () => void;
  /** Logs a warning. */
  warn: (message: string) => void;
}

interface Entry {
  key: string;
  /** The path of its node. */
  path: string;
  /** The wait of this process. Waits of an earlier process are read when they are acquired. */
  wait: PendingWait | undefined;
  isLeased: boolean;
  /** The journal could not be written, and does not contain this entry. */
  isUnwritten: boolean;
}

/** A node that claims the waits of its path. */
interface Claim {
  /** Called when its waits can be received. */
  onStarted: () => void;
  /** All nodes of its deploy have started. */
  isStarted: boolean;
}

/**
 * The pending waits of all nodes of one user directory. They outlive their nodes. After a redeploy, a node acquires the
 * waits of its predecessor with their messages unchanged. After a restart, it acquires them from the journal, with
 * those parts of the messages that can be serialized.
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
   * Registers a node: waits of its path are not discarded, and `onStarted` is called whenever the nodes of a deploy
   * have started. Returns a function to call when the node closes.
   */
  claim(path: string, onStarted: () => void): () => void {
    if (this.#claims.size === 0) this.#stopListening = this.#options.listen((isMissing) => this.#onStarted(isMissing));
    const claim = { onStarted, isStarted: false };
    this.#claims.set(path, claim);
    return () => {
      if (this.#claims.get(path) === claim) this.#claims.delete(path);
      if (this.#claims.size > 0) return;
      this.#stopListening();
      // When Node-RED stops, this is the last code of this package that runs.
      this.#journal?.endSession();
    };
  }

  /** Adds a wait of the node with this path. */
  register(path: string, wait: PendingWait): WaitLease {
    const entry = { key: randomUUID(), path, wait, isLeased: true, isUnwritten: false };
    this.#entries.set(entry.key, entry);
    return new EntryLease(this, entry, wait, this.#write(entry, wait));
  }

  /** Returns the released waits of this path, oldest first. The caller owns them from now on. */
  acquire(path: string): WaitLease[] {
    const released = [...this.#entries.values()].filter((entry) => entry.path === path && !entry.isLeased);
    return released.flatMap((entry) => {
      const wait = entry.wait ?? this.#restore(entry.key);
      // The entry stays in the journal until it can be read.
      if (!wait) return [];
      entry.wait = wait;
      entry.isLeased = true;
      return [new EntryLease(this, entry, wait, true)];
    });
  }

  /** Ends the session of the journal and closes it. */
  async close(): Promise<void> {
    await this.#journal?.close();
  }

  #onStarted(isMissing: (path: string) => boolean): void {
    this.#journal?.retry();
    for (const entry of [...this.#entries.values()]) this.#discardIfRemoved(entry, isMissing);
    for (const claim of [...this.#claims.values()]) {
      claim.isStarted = true;
      claim.onStarted();
    }
  }

  // A missing node alone proves nothing: after deploys in quick succession, the nodes of this one may have closed
  // again. The entry is discarded only if the flows of the deploy do not contain its node.
  #discardIfRemoved(entry: Entry, isMissing: (path: string) => boolean): void {
    if (entry.isLeased || this.#claims.has(entry.path) || !isMissing(entry.path)) return;
    const wait = entry.wait ?? this.#restore(entry.key);
    if (!wait) return;
    this.end(entry);
    this.#options.warn(`Discarded the pending wait for operation ${wait.operationId}: its node was removed`);
  }

  #onRetry(): void {
    for (const entry of this.#entries.values()) {
      if (entry.isUnwritten && entry.wait) this.#tryWrite(entry, entry.wait);
      // The next one would fail too.
      if (entry.isUnwritten) break;
    }
    this.#readJournal();
    // Nodes that do not exist yet acquire their waits when they are created.
    for (const path of [...this.#claims.keys()]) this.#notifyStarted(path);
  }

  // Called by a timer, where an exception would terminate Node-RED: a flow may have added a getter that throws to the
  // message.
  #tryWrite(entry: Entry, wait: PendingWait): void {
    try {
      this.#write(entry, wait);
    } catch {
      // The wait continues in memory.
    }
  }

  // Adds entries for the waits of the journal that are not known yet.
  #readJournal(): void {
    for (const key of this.#journal?.keys() ?? []) {
      const path = this.#entries.has(key) ? undefined : this.#journal?.read(key)?.entry.node;
      if (typeof path !== 'string') continue;
      this.#entries.set(key, { key, path, wait: undefined, isLeased: false, isUnwritten: false });
    }
  }

  /** Replaces the wait of an entry. Returns whether it fits into the journal. */
  update(entry: Entry, wait: PendingWait): boolean {
    entry.wait = wait;
    return this.#write(entry, wait);
  }

  /** Records that the message of an entry is about to be sent. */
  markSending(entry: Entry): void {
    entry.isUnwritten = false;
    this.#journal?.markSending(entry.key);
  }

  /** Removes an entry. */
  end({ key }: Entry): void {
    this.#entries.delete(key);
    this.#journal?.remove(key);
    if (this.#claims.size === 0) this.#journal?.endSession();
  }

  /**
   * Releases an entry whose message may have been sent. The next nodes may have received and changed the message, so
   * the successor reads it from the journal, as after a restart.
   */
  releaseSent(entry: Entry): void {
    if (!this.#journal?.has(entry.key)) {
      this.end(entry);
      return;
    }
    entry.wait = undefined;
    entry.isLeased = false;
    if (this.#claims.size === 0) this.#journal.endSession();
    // The successor may exist already.
    this.#notifyStarted(entry.path);
  }

  #notifyStarted(path: string): void {
    const claim = this.#claims.get(path);
    if (claim?.isStarted) claim.onStarted();
  }

  // Returns whether the wait fits into the journal.
  #write(entry: Entry, wait: PendingWait): boolean {
    entry.isUnwritten = false;
    if (!this.#journal) return true;
    const stored = serializeWait(entry.path, wait, MAX_ENTRY_BYTES);
    if (!stored) {
      this.#journal.remove(entry.key);
      return false;
    }
    const result = this.#journal.write(entry.key, stored);
    entry.isUnwritten = result === 'failed';
    return result !== 'too large';
  }

  #restore(key: string): PendingWait | undefined {
    const stored = this.#journal?.read(key);
    return stored && restoreWait(stored.entry, stored.isSending);
  }
}

/** A class, because there may be very many leases: each is one object without closures. */
class EntryLease implements WaitLease {
  readonly #waits: PendingWaits;
  readonly #entry: Entry;
  wait: PendingWait;
  isTooLarge: boolean;

  constructor(waits: PendingWaits, entry: Entry, wait: PendingWait, fits: boolean) {
    this.#waits = waits;
    this.#entry = entry;
    this.wait = wait;
    this.isTooLarge = !fits;
  }

  update(wait: PendingWait): void {
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
