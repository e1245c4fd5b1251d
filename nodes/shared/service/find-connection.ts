import type { Node, NodeAPI } from 'node-red';
import type { DeployedService } from '../endpoints/dialog-service.js';
import { Connection } from './connection.js';
import type { SavedCredentials } from './remote-account.js';

/** The config node as flow nodes see it, and as the test of its connection does. */
export interface ServiceNode extends Node<SavedCredentials> {
  connection: Connection;
  deployed: DeployedService;
}

/** The config node of this id; `undefined` where there is none, or one of another type. */
export function findServiceNode(RED: NodeAPI, id: unknown): ServiceNode | undefined {
  if (typeof id !== 'string' || id === '') return undefined;
  // Its type says that there is always a node; Node-RED answers null for an unknown id.
  const node: object | null = RED.nodes.getNode(id);
  // A node with a connection is one of ours: nobody else can make one.
  const isOurs = node !== null && 'connection' in node && node.connection instanceof Connection;
  return isOurs ? (node as ServiceNode) : undefined;
}

/** The connection of a config node; `undefined` where there is no such node, or one of another type. */
export function findConnection(RED: NodeAPI, id: unknown): Connection | undefined {
  return findServiceNode(RED, id)?.connection;
}
