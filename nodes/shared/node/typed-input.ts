import type { Node, NodeAPI, NodeMessage } from 'node-red';
import { isBlank } from './field-rules.js';
import { createNodeError } from './flow-error.js';

/** The sources of a typed input whose value is known only at run time. */
export const DYNAMIC_TYPES = ['msg', 'flow', 'global', 'env', 'jsonata'] as const;

/** The sources of a typed input for an id; `str` is a fixed string. */
export const VALUE_TYPES = ['msg', 'flow', 'global', 'str', 'env', 'jsonata'] as const;

/**
 * Evaluates a typed input for a message. Returns `undefined` if it is empty, or if the property or variable does not
 * exist. Throws `INPUT_INVALID` if the evaluation fails.
 */
export function evaluateTypedInput(
  RED: NodeAPI,
  node: Node,
  msg: NodeMessage,
  value: string,
  type: string,
): Promise<unknown> {
  if (isBlank(value)) return Promise.resolve(undefined);
  return new Promise<unknown>((resolve, reject) => {
    // Context stores may be asynchronous, and JSONata always is. Both need the callback form.
    RED.util.evaluateNodeProperty(value, type, node, msg, (error, result) => (error ? reject(error) : resolve(result)));
  }).catch((error: unknown) => {
    // Node-RED throws a TypeError for `msg.a.b` if `a` is missing. The property `b` then does not exist either.
    if (type === 'msg' && error instanceof TypeError) return undefined;
    const reason = error instanceof Error ? error.message : String(Object(error).message ?? error);
    throw createNodeError(
      'INPUT_INVALID',
      `Could not evaluate ${type} "${value}": ${reason}. Correct it in the node's properties.`,
    );
  });
}
