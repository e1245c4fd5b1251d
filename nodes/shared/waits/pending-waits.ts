import { randomUUID } from 'node:crypto';
import { getModelRecord } from '../message/model-record.js';
import { DeployGate } from './deploy-gate.js';
import { NodePlaces } from './node-places.js';
import { describeWait, type PendingWait, restoreWait, serializeWait } from './stored-wait.js';
import type { BootTimes } from './wait-clock.js';
import { MAX_ENTRY_BYTES, type WaitJournal } from './wait-journal.js';
import type { WaitLease } from './wait-lease.js';

export type { PendingTransfer, PendingWait } from './stored-wait.js';
export type { WaitLease } from './wait-lease.js';

/** The dependencies of `PendingWaits`. */
export interface PendingWaitsOptions {
  /** Default: none. Waits then survive redeploys only. */
  journal?: WaitJournal | undefined;
  log: { info: (message: string) => void; warn: (message: string) => void };
  /** Receives each wait that is discarded because its node was removed. Default: none. */
  onDiscard?: (wait: PendingWait) => void;
  /** Keeps this object open, although no node uses it, until the returned function is called. Default: nothing. */
  retain?: () => () => void;
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
  /** The log says that its node is disabled. */
  isReported: boolean;
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
 * waits of its predecessor with their messages unchanged, also if it was moved meanwhile. After a restart, it acquires
 * them from the journal, with those parts of the messages that can be serialized. The waits of a disabled node stay until
 * it is enabled or removed.
 */
export class PendingWaits {
  readonly #options: PendingWaitsOptions;
  readonly #journal: WaitJournal | undefined;
  readonly #entries = new Map<string, Entry>();
  readonly #claims = new Map<string, Claim>();
  /** The places of the nodes in the flows. Unknown from the moment when a node closes until the next flows have started. */
  #places: NodePlaces | undefined;
  /** The entries with a wait of this process that no node owns. Closing would lose what the journal cannot store. */
  readonly #ownerless = new Set<Entry>();
  #stopRetaining: (() => void) | undefined;
  /** Closed while a deploy is in progress. */
  readonly gate = new DeployGate();

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
    const claim = { onStarted, isStarted: false };
    this.#claims.set(path, claim);
    return () => {
      if (this.#claims.get(path) === claim) this.#claims.delete(path);
      this.#places = undefined;
      // When Node-RED stops, this is the last code of this package that runs.
      if (this.#claims.size === 0) this.#journal?.endSession();
    };
  }

  /** Adds a wait of the node with this path. */
  register(path: string, wait: PendingWait): WaitLease {
    const entry = { key: randomUUID(), path, wait, isLeased: true, isUnwritten: false, isReported: false };
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
      this.#setOwnerless(entry, false);
      return [new EntryLease(this, entry, wait, true)];
    });
  }

  /** Ends the session of the journal and closes it. */
  async close(): Promise<void> {
    await this.#journal?.close();
  }

  /** Call it when the nodes of a deploy have started. `flows`: the nodes of all flows, also of disabled ones. */
  onDeployed(flows: readonly unknown[] | undefined): void {
    this.#places = flows && new NodePlaces(flows);
    this.#journal?.retry();
    for (const claim of this.#claims.values()) claim.isStarted = true;
    this.#findOwners([...this.#entries.values()]);
    for (const { onStarted } of [...this.#claims.values()]) onStarted();
    this.gate.open();
  }

  // Assigns entries to the nodes that replace theirs, and discards those whose node was removed. A missing node alone
  // proves nothing: after deploys in quick succession, the nodes of this one may have closed again. The flows decide.
  #findOwners(entries: readonly Entry[]): void {
    if (!this.#places) return;
    const paths = new Set(this.#claims.keys());
    for (const entry of entries) {
      if (entry.isLeased || paths.has(entry.path)) continue;
      const successor = this.#places.findSuccessor(entry.path, paths);
      if (successor === 'removed') this.#discard(entry);
      else if (successor === 'inactive') this.#reportInactive(entry);
      else entry.path = successor.path;
    }
  }

  #discard(entry: Entry): void {
    const wait = entry.wait ?? this.#restore(entry.key);
    if (!wait) return;
    this.end(entry);
    this.#options.onDiscard?.(wait);
    this.#options.log.warn(`Discarded the ${describeWait(wait)}: its node was removed`);
  }

  #reportInactive(entry: Entry): void {
    const wait = entry.wait ?? this.#restore(entry.key);
    if (!wait || entry.isReported) return;
    entry.isReported = true;
    this.#options.log.info(`The ${describeWait(wait)} continues when its node is enabled`);
  }

  #onRetry(): void {
    for (const entry of this.#entries.values()) {
      if (entry.isUnwritten && entry.wait) this.#tryWrite(entry, entry.wait);
      // The next one would fail too.
      if (entry.isUnwritten) break;
    }
    this.#readJournal();
    this.#findOwners([...this.#entries.values()]);
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
      this.#entries.set(key, { key, path, wait: undefined, isLeased: false, isUnwritten: false, isReported: false });
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
  end(entry: Entry): void {
    this.#entries.delete(entry.key);
    this.#setOwnerless(entry, false);
    this.#journal?.remove(entry.key);
    if (this.#claims.size === 0) this.#journal?.endSession();
  }

  /**
   * Releases an entry whose message may have been sent. The next nodes may have received and changed the message, so
   * the successor reads it from the journal, as after a restart. A message that is not in the journal is sent as it is now.
   */
  releaseSent(entry: Entry): void {
    if (this.#journal?.has(entry.key)) {
      entry.wait = undefined;
      entry.isLeased = false;
      if (this.#claims.size === 0) this.#journal.endSession();
    } else if (entry.wait) {
      getModelRecord(entry.wait.msg).isRepeat = true;
      this.release(entry);
    }
    // The successor may exist already.
    this.#findOwners([entry]);
    this.#notifyStarted(entry.path);
  }

  /** Releases an entry to the successor of its node. */
  release(entry: Entry): void {
    entry.isLeased = false;
    this.#setOwnerless(entry, true);
  }

  #setOwnerless(entry: Entry, isOwnerless: boolean): void {
    if (isOwnerless) this.#ownerless.add(entry);
    else this.#ownerless.delete(entry);
    if (this.#ownerless.size === 0) this.#stopRetaining?.();
    this.#stopRetaining = this.#ownerless.size > 0 ? (this.#stopRetaining ?? this.#options.retain?.()) : undefined;
  }

  #notifyStarted(path: string): void {
    const claim = this.#claims.get(path);
    if (claim?.isStarted) claim.onStarted();
  }

  // Returns whether the wait fits into the journal.
  #write(entry: Entry, wait: PendingWait): boolean {
    entry.isUnwritten = false;
    if (!this.#journal || wait.transfer) return true;
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
  /** The times that were written last. They are replaced after a boot of the machine. */
  #boot: BootTimes | undefined;
  wait: PendingWait;
  isTooLarge: boolean;

  constructor(waits: PendingWaits, entry: Entry, wait: PendingWait, fits: boolean) {
    this.#waits = waits;
    this.#entry = entry;
    this.wait = wait;
    this.#boot = wait.boot;
    this.isTooLarge = !fits;
  }

  update(wait: PendingWait): void {
    if (wait === this.wait && wait.boot === this.#boot) return;
    this.wait = wait;
    this.#boot = wait.boot;
    this.isTooLarge = !this.#waits.update(this.#entry, wait);
  }

  markSending(): void {
    this.#waits.markSending(this.#entry);
  }

  end(): void {
    this.#waits.end(this.#entry);
  }

  release(): void {
    this.#waits.release(this.#entry);
  }

  releaseSent(): void {
    this.#waits.releaseSent(this.#entry);
  }
}
