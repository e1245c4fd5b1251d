import type { PendingWait } from './stored-wait.js';

/** A wait that a node owns, until its message has been delivered. */
export interface WaitLease {
  readonly wait: PendingWait;
  /** The message is too large for the journal, and would be lost in a restart. */
  readonly isTooLarge: boolean;
  /** Replaces the wait, when the message waits for another operation. */
  update(wait: PendingWait): void;
  /** Records that the message is about to be sent. */
  markSending(): void;
  /** Ends the wait: its message has been delivered or discarded. */
  end(): void;
  /** Releases the wait to a successor, when its node closes. */
  release(): void;
  /**
   * Releases the wait to a successor, after its node closed while the message was being sent. The successor gets a copy
   * of the message, marked as a repeat.
   */
  releaseSent(): void;
}
