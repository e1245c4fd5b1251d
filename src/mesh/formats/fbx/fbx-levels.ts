import { readBinaryFbx, readBinaryFbxVersion } from './fbx-binary.js';
import { type FbxNode, findChild } from './fbx-node.js';
import { readTextFbx } from './fbx-text.js';

const LOD_GROUP = 'LodGroup';
/** Groups of levels may contain each other; beyond this, the first level counts as the finest. */
const MAX_VISITS = 1_000_000;
/** A connection of objects, and a kind of the same length that assimp ignores. */
const CONNECTION = '"OO"';
const IGNORED_CONNECTION = '"PP"';

/** A connection of two objects, by their ids in FBX 7 or their names in FBX 6. */
export interface FbxConnection {
  child: string;
  parent: string;
  node: FbxNode;
}

/**
 * Finds the connections of all levels of detail but the finest, the one with the most corners of polygons. Levels of
 * equal size count as ordered from fine to coarse, as the FBX SDK does.
 */
export function findCoarserLevels(
  objects: ReadonlyMap<string, FbxNode>,
  connections: readonly FbxConnection[],
): Set<FbxConnection> {
  const childrenByParent = groupByParent(connections);
  const budget = { visits: MAX_VISITS };
  const coarser = new Set<FbxConnection>();
  for (const [id, object] of objects) {
    const children = childrenByParent.get(id) ?? [];
    if (object.name !== 'Model' || ![object, ...attributesOf(children, objects)].some(isLodGroup)) continue;
    const levels = children.filter(({ child }) => objects.get(child)?.name === 'Model');
    const sizes = levels.map(({ child }) => countCorners(child, objects, childrenByParent, budget));
    const finest = sizes.indexOf(Math.max(...sizes));
    levels.forEach((level, i) => {
      if (i !== finest) coarser.add(level);
    });
  }
  return coarser;
}

/**
 * Returns an FBX 7 whose coarser levels of detail are not connected, because assimp reads all levels. Returns a file
 * without levels unchanged.
 */
export function disconnectCoarserLevels(bytes: Uint8Array): Uint8Array {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  if (!file.includes(LOD_GROUP)) return bytes;
  const isBinary = readBinaryFbxVersion(bytes) !== undefined;
  const { roots } = isBinary ? readBinaryFbx(bytes) : readTextFbx(bytes);
  const objects = new Map<string, FbxNode>();
  for (const node of childrenOf(roots, 'Objects')) objects.set(String(node.numbers[0]), node);
  const connections = childrenOf(roots, 'Connections')
    .filter(({ strings }) => strings[0] === 'OO')
    .map((node) => ({ child: String(node.numbers[0]), parent: String(node.numbers[1]), node }));
  const result = Buffer.from(file);
  for (const { node } of findCoarserLevels(objects, connections)) {
    // A string of a binary file follows its type and its length.
    const start = isBinary ? node.valuesStart + 5 : file.indexOf(CONNECTION, node.valuesStart) + 1;
    result.write(IGNORED_CONNECTION.slice(1, -1), start, 'latin1');
  }
  return result;
}

/** Returns the children of the roots of this name. */
export function childrenOf(roots: readonly FbxNode[], name: string): FbxNode[] {
  return roots.filter((node) => node.name === name).flatMap(({ children }) => children);
}

function attributesOf(children: readonly FbxConnection[], objects: ReadonlyMap<string, FbxNode>): FbxNode[] {
  return children.flatMap(({ child }) => objects.get(child) ?? []).filter(({ name }) => name === 'NodeAttribute');
}

/** Returns whether a model or its attribute has the type of a group of levels. The name precedes the type. */
function isLodGroup({ strings }: FbxNode): boolean {
  return strings.slice(1).includes(LOD_GROUP);
}

/** Groups connections by their parent, in their order. */
export function groupByParent(connections: readonly FbxConnection[]): Map<string, FbxConnection[]> {
  const childrenByParent = new Map<string, FbxConnection[]>();
  for (const connection of connections) {
    const existing = childrenByParent.get(connection.parent);
    if (existing) existing.push(connection);
    else childrenByParent.set(connection.parent, [connection]);
  }
  return childrenByParent;
}

/** Counts the corners of the polygons of an object and of all objects below, within the budget. */
function countCorners(
  root: string,
  objects: ReadonlyMap<string, FbxNode>,
  childrenByParent: ReadonlyMap<string, readonly FbxConnection[]>,
  budget: { visits: number },
): number {
  const visited = new Set([root]);
  let count = 0;
  // Items that are added to a set are visited, too.
  for (const id of visited) {
    if (budget.visits-- <= 0) break;
    const indices = findChild(objects.get(id), 'PolygonVertexIndex');
    if (indices) {
      const { numbers, arrayLength } = findChild(indices, 'a') ?? indices;
      count += Math.max(arrayLength, numbers.length);
    }
    for (const { child } of childrenByParent.get(id) ?? []) visited.add(child);
  }
  return count;
}
