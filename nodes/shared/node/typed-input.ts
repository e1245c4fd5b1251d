import type { Node, NodeAPI, NodeMessage } from 'node-red';
import { createNodeError } from './flow-error.js';

/** Where typed inputs may take a value from; `str` is a fixed text. */
export const VALUE_TYPES = ['msg', 'flow', 'global', 'str', 'env', 'jsonata'] as const;

/** Evaluates a typed input against a message. `undefined` where it holds nothing; `INPUT_INVALID` where it cannot be read. */
export function evaluateTypedInput(
  RED: NodeAPI,
  node: Node,
  msg: NodeMessage,
  value: string,
  type: string,
): Promise<unknown> {
  return new Promise<unknown>((resolve, reject) => {
    // Context stores may be asynchronous and JSONata always is: only the callback form serves both.
    RED.util.evaluateNodeProperty(value, type, node, msg, (error, result) => (error ? reject(error) : resolve(result)));
  }).catch((error: unknown) => {
    // Node-RED reads `msg.a.b` as JavaScript would: where there is no `a`, there is no `b` either.
    if (type === 'msg' && error instanceof TypeError) return undefined;
    const reason = error instanceof Error ? error.message : String(Object(error).message ?? error);
    throw createNodeError('INPUT_INVALID', `could not evaluate ${type} "${value}": ${reason}`);
  });
}
