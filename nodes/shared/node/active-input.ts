import type { NodeMessage, NodeMessageInFlow } from 'node-red';
import { describedFilename } from '../message/filename.js';
import type { WaitLease } from '../waits/pending-waits.js';
import { type CancellableRun, isCancelMessage } from './cancel-message.js';
import type { FormPart } from './message-parts.js';
import type { MessageActivity } from './status-indicator.js';

/** Sends a message, or one message per output. */
export type Send = (msg: NodeMessage | (NodeMessage | null)[]) => void;

/** Ends an input, with the error if it failed. */
export type Done = (error?: Error) => void;

/** A message in progress. */
export interface ActiveInput extends CancellableRun {
  msg: NodeMessageInFlow;
  activity: MessageActivity;
  controller: AbortController;
  lease: WaitLease | undefined;
  /** The file of a form that the message is for. */
  part: FormPart | undefined;
  /** Sends the message unchanged. Further calls do nothing. */
  forward: () => void;
  /** Resolves when the message has ended. */
  completion: Promise<void> | undefined;
}

/** Returns the argument of `send` that sends a message to the output with this index. */
export function toOutput(msg: NodeMessage, output = 0): NodeMessage | (NodeMessage | null)[] {
  return output === 0 ? msg : [...Array.from({ length: output }, () => null), msg];
}

/**
 * Lists the messages that a closing node discards, for its log: those that neither wait nor are in a transfer. The service may
 * have accepted their starts, so that no other node repeats them.
 */
export function listDiscarded(runs: readonly ActiveInput[]): string[] {
  return runs
    .filter(({ msg, lease, controller }) => !lease && !controller.signal.aborted && !isCancelMessage(msg))
    .map(({ msg }) => describedFilename(msg) ?? `message ${msg._msgid}`);
}
