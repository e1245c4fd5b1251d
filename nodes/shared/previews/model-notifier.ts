import type { NodeAPI } from 'node-red';
import { type Scheduler, scheduleTimeout } from '../delay.js';
import type { ModelEntry } from './model-entry.js';

/** The minimum time between two messages of a node to the editors. */
const INTERVAL_MS = 500;

/**
 * Tells the open editors which model a node shows: the key of its entry, the revision and the level of the verdict, at most
 * two messages a second. Editors that open later receive the last one.
 */
export class ModelNotifier {
  readonly #comms: Pick<NodeAPI['comms'], 'publish'>;
  readonly #topic: string;
  readonly #schedule: Scheduler;
  #latest: ModelEntry | undefined;
  /** Cancels the timer that runs after a message. */
  #cancelTimer: (() => void) | undefined;
  #isClosed: boolean = false;

  constructor({ comms }: Pick<NodeAPI, 'comms'>, nodeId: string, schedule: Scheduler = scheduleTimeout) {
    this.#comms = comms;
    this.#topic = `model-processing/models/${nodeId}`;
    this.#schedule = schedule;
  }

  /** Sends the state of an entry, at once or when the interval has ended. Does nothing after `close`. */
  notify(entry: ModelEntry): void {
    if (this.#isClosed) return;
    this.#latest = entry;
    if (!this.#cancelTimer) this.#send();
  }

  /** Tells the editors that the node shows no model any more. */
  close(): void {
    this.#isClosed = true;
    this.#cancelTimer?.();
    // A message that is not retained removes the retained one.
    this.#comms.publish(this.#topic, {}, false);
  }

  #send(): void {
    this.#cancelTimer = undefined;
    if (!this.#latest) return;
    const { key, revision, summary } = this.#latest;
    this.#latest = undefined;
    this.#comms.publish(this.#topic, { id: key, revision, verdict: summary.level }, true);
    this.#cancelTimer = this.#schedule(() => this.#send(), INTERVAL_MS);
  }
}
