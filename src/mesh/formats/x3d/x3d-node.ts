/**
 * A node of a VRML or X3D scene. A reused node is one object with several parents: the nodes form a directed acyclic
 * graph.
 */
export interface X3dNode {
  /** The node type, e.g. `Transform`. */
  type: string;
  /** The name from `DEF`; empty if there is none. */
  name: string;
  /** field → its numbers */
  numbers: Map<string, Float64Array>;
  /** Fields that are FALSE. All others are TRUE or have their default. */
  falseFields: Set<string>;
  children: X3dNode[];
}

/** A scene and its unit of length. */
export interface X3dDocument {
  roots: X3dNode[];
  unitInMm: number;
  /** Whether the file is truncated. */
  isTruncated: boolean;
}

/** The type of the placeholder for a node that is used but never defined. */
export const MISSING = 'Missing';

/** The field of a Collision whose node replaces its children in collision tests and is never shown. */
export const PROXY_FIELD = 'proxy';

/** Creates an empty node. */
export function createX3dNode(type: string, name = ''): X3dNode {
  return { type, name, numbers: new Map(), falseFields: new Set(), children: [] };
}
