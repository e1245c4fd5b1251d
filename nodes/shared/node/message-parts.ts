import type { NodeAPI, NodeMessageInFlow } from 'node-red';
import type { FormFile } from '../message/form-files.js';

/** The file of a form that a message is for. */
export interface FormPart {
  file: FormFile;
  /** The number of files in the form. */
  count: number;
}

/** A message for one file of a form. */
export interface PartMessage {
  msg: NodeMessageInFlow;
  part: FormPart;
}

/**
 * Creates one message for each file of a form, like the core split node: a copy with an id of its own, and with `parts`
 * for a join node. Existing `parts` are nested. A payload that is a list of files is not copied.
 */
export function createPartMessages(RED: NodeAPI, msg: NodeMessageInFlow, files: readonly FormFile[]): PartMessage[] {
  const { payload, parts: outerParts, ...others } = { parts: undefined, ...msg };
  const shared = { ...others, ...(Array.isArray(payload) ? {} : { payload }) };
  const id = RED.util.generateId();
  const count = files.length;
  return files.map((file, index) => {
    const nested = outerParts === undefined ? {} : { parts: outerParts };
    const parts = { ...nested, id, type: 'array', len: 1, count, index };
    const message = { ...shared, parts, _msgid: RED.util.generateId() };
    return { msg: RED.util.cloneMessage(message), part: { file, count } };
  });
}
