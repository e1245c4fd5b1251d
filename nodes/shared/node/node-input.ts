import type { NodeAPI, NodeMessageInFlow } from 'node-red';
import type { FormFile } from '../message/form-files.js';
import type { TypedValue } from '../message/message-input.js';
import type { Connection } from '../service/connection.js';
import type { PendingTransfer, PendingWait } from '../waits/pending-waits.js';
import type { FormPart } from './message-parts.js';
import type { Field, Fields, SettingsOf } from './settings.js';
import type { MessageActivity, Outcome } from './status-indicator.js';

/** A message that a node processes, with the dependencies of its processing. */
export interface NodeInput<S> {
  readonly RED: NodeAPI;
  readonly msg: NodeMessageInFlow;
  readonly settings: S;
  readonly connection: Connection;
  /** Aborted if the node closes or receives a message with `msg.reset`. */
  readonly signal: AbortSignal;
  /** Aborted if a message with `msg.cancel` ends the processing of this one. The reason is the error of the message. */
  readonly cancellation: AbortSignal;
  readonly activity: MessageActivity;
  /** The operation that the message was waiting for when a redeploy or a stop of Node-RED closed the previous node. */
  readonly pendingWait: PendingWait | undefined;
  /** The transfer of this message that `trackTransfer` began, by this node or by the one before a redeploy. */
  readonly transfer: PendingTransfer | undefined;
  /** The file of a form that the message is for, if `findParts` found several. */
  readonly part: FormPart | undefined;
  /** Evaluates a typed input for the message. Throws `INPUT_INVALID`. */
  evaluate(setting: TypedValue): Promise<unknown>;
  /** Returns a status text from the node's catalog by its key below `status`. */
  text(key: string, values?: Record<string, string>): string;
  /** Sends the message unchanged, once. `msg` is a copy of it from then on. Only for nodes with `isForwarding`. */
  forward(): void;
  /** Registers `wait`: if the node closes before the message is sent, the node that replaces it continues this wait. */
  trackWait(wait: PendingWait): void;
  /**
   * Registers a transfer: if the node closes before the message is sent or waits for an operation, the node that replaces it
   * processes the message again. Returns the transfer of an earlier node, if there is one. `kind`: `upload`, `download`.
   */
  trackTransfer(kind: string): PendingTransfer;
}

/** The runtime half of a node type. */
export interface FlowNodeDefinition<F extends Fields> {
  /** The type without prefix: `upload` for `model-processing-upload`. Also the first key of its catalog. */
  name: string;
  fields: F & { service: Field<string> };
  /** Modifies the message and returns the outcome for the status. Errors go to the Catch nodes. */
  run: (input: NodeInput<SettingsOf<F>>) => Promise<Outcome>;
  /**
   * Returns the files of a form for which the message is repeated: each gets a message with `msg.parts`, and `run`
   * processes them one by one. `undefined`: the message is processed as it is. Default: it always is.
   */
  findParts?: (input: NodeInput<SettingsOf<F>>) => Promise<FormFile[] | undefined>;
  /**
   * The node sends its messages unchanged: when `run` calls `forward`, and at the latest when it fails. A failure then
   * sets no `msg.statusCode`.
   */
  isForwarding?: true;
  /** Returns a warning about the settings, if there is one. Shown each time the node is deployed. */
  findWarning?: (settings: SettingsOf<F>) => string | undefined;
  /** Called when the node closes, before its messages in progress are aborted. */
  close?: () => void;
  /**
   * Makes the node cancel operations when it receives a message with `msg.cancel`. Returns the id of the operation that
   * a message with the value `true` names, or `undefined` for all messages in progress. Default: `msg.cancel` has no
   * effect.
   */
  findCancelled?: (input: NodeInput<SettingsOf<F>>) => Promise<string | undefined>;
}
