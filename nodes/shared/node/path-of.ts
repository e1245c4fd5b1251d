import type { Node } from 'node-red';

/**
 * Returns the path of a node: the ids of its tab, of the subflow instances around it and its own, separated by `/`. It stays
 * the same over redeploys, also inside subflows, whose nodes get new ids.
 */
export function pathOf(node: Node): string {
  return '_path' in node && typeof node._path === 'string' ? node._path : node.id;
}
