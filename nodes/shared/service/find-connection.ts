import type { Node, NodeAPI } from 'node-red';
import type { DeployedService } from '../endpoints/dialog-service.js';
import { Connection } from './connection.js';
import type { SavedCredentials } from './remote-account.js';

/** A config node of this package, as flow nodes and the connection test use it. */
export interface ServiceNode extends Node<SavedCredentials> {
  connection: Connection;
  deployed: DeployedService;
}

/** Returns the config node with this id, or `undefined` if there is none or it has another type. */
export function findServiceNode(RED: NodeAPI, id: unknown): ServiceNode | undefined {
  if (typeof id !== 'string' || id === '') return undefined;
  // The typings promise a node, but Node-RED returns null for an unknown id.
  const node: object | null = RED.nodes.getNode(id);
  // Only the config nodes of this package have a `Connection`.
  const isServiceNode = node !== null && 'connection' in node && node.connection instanceof Connection;
  return isServiceNode ? (node as ServiceNode) : undefined;
}

/** Returns the connection of the config node with this id, or `undefined` if there is none or it has another type. */
export function findConnection(RED: NodeAPI, id: unknown): Connection | undefined {
  return findServiceNode(RED, id)?.connection;
}
