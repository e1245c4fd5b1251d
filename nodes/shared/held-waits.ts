import type { NodeMessageInFlow } from 'node-red';

/** An operation that is waited for, and the message that will go on with its result. */
export interface HeldWait {
  msg: NodeMessageInFlow;
  operation: string;
  operationId: string;
  filename: string | undefined;
  /** When the waiting began, in ms of `Date.now()`: a redeploy does not make the deadline longer. */
  startedAt: number;
  /** How far a node has come that runs several operations for one message: a JSON value of its own, given back as it is. */
  stage?: unknown;
}

/** How long waits stay for a node that is made anew; Node-RED gives slow nodes 15 s to close, before it makes new ones. */
const KEEP_MS = 60_000;

/** Hands the waits of a node that is closed by a redeploy to the node that takes its place, by the node's path. */
export class HeldWaits {
  readonly #now: () => number;
  readonly #held = new Map<string, { waits: HeldWait[]; putAt: number }>();

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  put(path: string, waits: HeldWait[]): void {
    this.#dropOld();
    if (waits.length > 0) this.#held.set(path, { waits, putAt: this.#now() });
  }

  /** What was put for this node, once. */
  take(path: string): HeldWait[] {
    this.#dropOld();
    const waits = this.#held.get(path)?.waits ?? [];
    this.#held.delete(path);
    return waits;
  }

  #dropOld(): void {
    for (const [path, { putAt }] of this.#held) if (this.#now() - putAt > KEEP_MS) this.#held.delete(path);
  }
}
