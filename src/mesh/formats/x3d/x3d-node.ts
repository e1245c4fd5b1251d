import type { X3dTemplate } from './x3d-prototype.js';

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
  /** field → its Boolean. All others have their default. */
  booleans: Map<string, boolean>;
  /** The nodes in its fields, except for `HIDDEN_FIELDS`. */
  children: X3dNode[];
  /** What depends on the fields of the prototype in whose body the node is. Default: nothing. */
  template?: X3dTemplate;
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

/** The type of the placeholder for an instance of a prototype of this name that the file does not contain. */
export const MISSING_PROTOTYPE = 'MissingPrototype';

/**
 * Fields whose nodes are never shown: the node that replaces a Collision in collision tests, geometries of sensors and
 * emitters, and nodes of an HAnimHumanoid that its skeleton contains again.
 */
export const HIDDEN_FIELDS: readonly string[] = [
  'proxy',
  'pickingGeometry',
  'pickTarget',
  'surface',
  'joints',
  'segments',
  'sites',
  'viewpoints',
  'metadata',
];

/** Creates an empty node. */
export function createX3dNode(type: string, name = ''): X3dNode {
  return { type, name, numbers: new Map(), booleans: new Map(), children: [] };
}

/** Returns whether a Boolean field, whose default is TRUE, is FALSE. */
export function isDisabled({ booleans }: Pick<X3dNode, 'booleans'>, field: string): boolean {
  return booleans.get(field) === false;
}
