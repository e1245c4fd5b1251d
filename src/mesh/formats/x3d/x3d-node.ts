import { GrowableFloat64Array } from '../../core/growable-float64-array.js';
import { parseNumber } from '../text/parse-number.js';

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

const COMMA = 0x2c;
const SPACE = 0x20;

/** Returns whether a byte separates words. Both encodings treat commas as spaces. */
export function isSeparator(byte: number): boolean {
  return byte <= SPACE || byte === COMMA;
}

/** Parses numbers separated by spaces and commas. Words that are not numbers become NaN. */
export function parseNumbers(text: Buffer): Float64Array {
  const numbers = new GrowableFloat64Array();
  for (let index = 0; index < text.length; ) {
    if (isSeparator(text[index])) {
      index++;
      continue;
    }
    const start = index;
    while (index < text.length && !isSeparator(text[index])) index++;
    numbers.push(parseNumber(text, start, index));
  }
  return numbers.values();
}
