import { GrowableFloat64Array } from '../../core/growable-float64-array.js';
import { parseNumber } from '../text/parse-number.js';

/** A node of a VRML or X3D scene. A node that is used again is the same object in several places: a graph without rings. */
export interface X3dNode {
  /** Its type, as `Transform`. */
  type: string;
  /** Its name, which `DEF` gives; empty where it has none. */
  name: string;
  /** Fields of numbers. */
  numbers: Map<string, Float64Array>;
  /** Fields that are FALSE; all others are as they are by default, or TRUE. */
  falseFields: Set<string>;
  children: X3dNode[];
}

/** A scene, and how long its unit of length is. */
export interface X3dDocument {
  roots: X3dNode[];
  unitInMm: number;
  /** Whether the file broke off. */
  isTruncated: boolean;
}

/** The type of a node that stands for one that is used and was never defined. */
export const MISSING = 'Missing';

/** A node without anything in it yet. */
export function createX3dNode(type: string, name = ''): X3dNode {
  return { type, name, numbers: new Map(), falseFields: new Set(), children: [] };
}

const COMMA = 0x2c;
const SPACE = 0x20;

/** Whether a byte stands between words: a comma is as good as a space in both languages. */
export const isSeparator = (byte: number): boolean => byte <= SPACE || byte === COMMA;

/** The numbers in a text, between spaces and commas; NaN for a word that is none. */
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
