import type { Node, NodeAPI } from 'node-red';
import { Connection } from './connection.js';
import type { SavedCredentials } from './remote-account.js';

/** The config node as flow nodes see it. */
export interface ServiceNode extends Node<SavedCredentials> {
  connection: Connection;
}

/** The connection of a config node; `undefined` where there is no such node, or one of another type. */
export const findConnection = (RED: NodeAPI, id: unknown): Connection | undefined => {
  if (typeof id !== 'string' || id === '') return undefined;
  // Its type says that there is always a node; Node-RED answers null for an unknown id.
  const node: object | null = RED.nodes.getNode(id);
  return node && 'connection' in node && node.connection instanceof Connection ? node.connection : undefined;
};
