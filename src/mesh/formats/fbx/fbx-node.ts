import { MeshError } from '../../core/mesh-error.js';

/** A node of an FBX, text or binary. */
export interface FbxNode {
  name: string;
  /** Its values that are strings, in sequence. */
  strings: string[];
  /** Its values that are numbers, in sequence. Other words of a text are NaN. */
  numbers: number[];
  /** The number of values of its array, which a binary file contains instead of single numbers. */
  arrayLength: number;
  /** The offset of its values in the file. */
  valuesStart: number;
  children: FbxNode[];
}

/** The nodes of a file. */
export interface FbxDocument {
  roots: FbxNode[];
  /** Whether the file is truncated. */
  isTruncated: boolean;
}

const MAX_DEPTH = 64;

/** Creates an empty node. */
export function createFbxNode(name: string, valuesStart = 0): FbxNode {
  return { name, strings: [], numbers: [], arrayLength: 0, valuesStart, children: [] };
}

/** Returns the first child of this name, or `undefined`. */
export function findChild(node: FbxNode | undefined, name: string): FbxNode | undefined {
  return node?.children.find((child) => child.name === name);
}

/** Throws `FILE_MALFORMED` if nodes nest deeper than in any valid file. */
export function assertDepth(depth: number): void {
  if (depth > MAX_DEPTH) throw malformedFbx(`nodes nest deeper than ${MAX_DEPTH}`);
}

/** Returns the error for an invalid FBX. */
export function malformedFbx(reason: string): MeshError {
  return new MeshError('FILE_MALFORMED', `Invalid FBX: ${reason}.`);
}
