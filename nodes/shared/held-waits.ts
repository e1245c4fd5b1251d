import { randomUUID } from 'node:crypto';
import type { NodeMessageInFlow } from 'node-red';
import { modelOf } from './model-record.js';
import { restoreMessage, storeMessage, TooLargeToStore } from './stored-message.js';
import { MAX_ENTRY_BYTES, type WaitJournal } from './wait-journal.js';

/** An operation that is waited for, and the message that will go on with its result. */
export interface HeldWait {
  msg: NodeMessageInFlow;
  /** Empty while nobody has said it. */
  operation: string;
  operationId: string;
  filename: string | undefined;
  /** When the waiting began, in ms of `Date.now()`: a redeploy does not make the deadline longer. */
  startedAt: number;
  /** When it is given up, in ms of `Date.now()`. Set by the first node that waits. */
  deadline?: number;
  /** The id of the config node whose service runs the operation. Set by the first node that waits. */
  service?: string;
  /** How far a node has come that runs several operations for one message: a JSON value of its own, given back as it is. */
  stage?: unknown;
  /** It was taken up from the journal of an earlier process. */
  isRestored?: boolean;
}

/** One wait at a node, kept until its message is through. */
export interface Hold {
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
}

export interface HeldWaitsOptions {
  /** Without one waits survive redeploys only. */
  journal?: WaitJournal | undefined;
  /** Calls back when the nodes of a deploy are there, with a way to ask whether a path is in none of its flows; answers how to stop that. */
  listen: (onStarted: (isGone: (path: string) => boolean) => void) => () => void;
  warn: (message: string) => void;
}

interface Entry {
  key: string;
  /** The path of its node. */
  path: string;
  /** Of this process; those of an earlier one are read when they are taken. */
  wait: HeldWait | undefined;
  isTaken: boolean;
}

/**
 * The waits of all nodes of one user directory. They outlive their nodes: when a redeploy makes a node anew, it takes its predecessor's
 * waits with their messages as they are; after a restart it takes them from the journal, with what of the messages could be written.
 */
export class HeldWaits {
  readonly #options: HeldWaitsOptions;
  readonly #journal: WaitJournal | undefined;
  readonly #entries = new Map<string, Entry>();
  readonly #claims = new Map<string, () => void>();
  #stopListening: () => void = () => undefined;

  constructor(options: HeldWaitsOptions) {
    this.#options = options;
    const { journal } = options;
    this.#journal = journal;
    for (const key of journal?.keys() ?? []) {
      const path = String(journal?.read(key)?.entry.node);
      this.#entries.set(key, { key, path, wait: undefined, isTaken: false });
    }
  }

  /**
   * There is a node of this path: what waits for it is not dropped, and it is told by `onStarted` whenever all nodes are there. Answers
   * how to say that it closes.
   */
  claim(path: string, onStarted: () => void): () => void {
    if (this.#claims.size === 0) this.#stopListening = this.#options.listen((isGone) => this.#onStarted(isGone));
    this.#claims.set(path, onStarted);
    return () => {
      if (this.#claims.get(path) === onStarted) this.#claims.delete(path);
      if (this.#claims.size === 0) this.#stopListening();
    };
  }

  /** A new wait at the node of this path. */
  hold(path: string, wait: HeldWait): Hold {
    const entry = { key: randomUUID(), path, wait, isTaken: true };
    this.#entries.set(entry.key, entry);
    return this.#holdOf(entry, wait, this.#write(entry.key, path, wait));
  }

  /** What waits for the node of this path, oldest first. It is that node's from now on. */
  take(path: string): Hold[] {
    const free = [...this.#entries.values()].filter((entry) => entry.path === path && !entry.isTaken);
    return free.flatMap((entry) => {
      const wait = entry.wait ?? this.#restore(entry.key);
      if (!wait) {
        this.end(entry);
        return [];
      }
      entry.wait = wait;
      entry.isTaken = true;
      return [this.#holdOf(entry, wait)];
    });
  }

  async close(): Promise<void> {
    await this.#journal?.close();
  }

  // Whether a node is there says not enough: with deploys close to one another this one's nodes may be closed again by now.
  #onStarted(isGone: (path: string) => boolean): void {
    for (const entry of [...this.#entries.values()]) {
      if (entry.isTaken || this.#claims.has(entry.path) || !isGone(entry.path)) continue;
      const operationId = (entry.wait ?? this.#restore(entry.key))?.operationId;
      this.end(entry);
      this.#options.warn(`the wait for operation ${operationId} is dropped: the node that waited for it is gone`);
    }
    for (const onStarted of [...this.#claims.values()]) onStarted();
  }

  #holdOf(entry: Entry, wait: HeldWait, fits = true): Hold {
    return new EntryHold(this, entry, wait, fits);
  }

  /** What an entry waits for now. False where it is too large for the journal. */
  update(entry: Entry, wait: HeldWait): boolean {
    entry.wait = wait;
    return this.#write(entry.key, entry.path, wait);
  }

  markSending({ key }: Entry): void {
    this.#journal?.markSending(key);
  }

  end({ key }: Entry): void {
    this.#entries.delete(key);
    this.#journal?.remove(key);
  }

  // False where it is too large.
  #write(key: string, path: string, { msg, isRestored: _isRestored, ...others }: HeldWait): boolean {
    if (!this.#journal) return true;
    try {
      return this.#journal.put(key, { node: path, ...others, ...storeMessage(msg, MAX_ENTRY_BYTES) });
    } catch (error) {
      if (!(error instanceof TooLargeToStore)) throw error;
      this.#journal.remove(key);
      return false;
    }
  }

  #restore(key: string): HeldWait | undefined {
    const read = this.#journal?.read(key);
    if (!read) return undefined;
    const { operation, operationId, filename, startedAt, deadline, service, stage, message, missing } = read.entry;
    if (typeof operation !== 'string' || typeof operationId !== 'string') return undefined;
    const msg = restoreMessage(message);
    if (read.isSending) modelOf(msg).isRepeat = true;
    if (Array.isArray(missing) && missing.length > 0) {
      const names = missing.map((name) => `msg.${name}`).join(', ');
      const text = `Node-RED was restarted while this message waited; what cannot be written to a file is missing: ${names}`;
      modelOf(msg).warnings.push({ code: 'MESSAGE_INCOMPLETE', message: text });
    }
    return {
      msg,
      operation,
      operationId,
      filename: typeof filename === 'string' ? filename : undefined,
      startedAt: typeof startedAt === 'number' ? startedAt : Date.now(),
      ...(typeof deadline === 'number' && { deadline }),
      ...(typeof service === 'string' && { service }),
      ...(stage !== undefined && { stage }),
      isRestored: true,
    };
  }
}

/** There may be very many: an object each, and no functions of its own. */
class EntryHold implements Hold {
  readonly #waits: HeldWaits;
  readonly #entry: Entry;
  wait: HeldWait;
  isTooLarge: boolean;

  constructor(waits: HeldWaits, entry: Entry, wait: HeldWait, fits: boolean) {
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
    this.#entry.isTaken = false;
  }
}
