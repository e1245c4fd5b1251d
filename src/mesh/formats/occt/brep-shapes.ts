// Tokens of a shape as written by BRepTools_ShapeSet of OpenCASCADE: N is a number, I an integer, C the continuity
// between two faces.
const N = String.raw`[-+]?[\d.]\S*\s+`;
const I = String.raw`-?\d+\s+`;
const C = String.raw`(?:C[N0-3]|G[12])\s+`;

const ON_POINT = `(?:${N}1\\s+${I}${I}|${N}2\\s+${I}${I}${I}|${N}3\\s+${N}${I}${I})`;
// Each alternative has a fixed number of tokens, so that the search never backtracks.
const ON_EDGE = [
  `1\\s+${I}${I}${N}${N}`,
  `2\\s+${I}${I}${I}${N}${N}`,
  `3\\s+${I}-?\\d+\\s*${C}${I}${I}${N}${N}`,
  `4\\s*${C}${I}${I}${I}${I}`,
  `5\\s+${I}${I}`,
  `6\\s+${I}${I}${I}`,
  `7\\s+${I}${I}${I}${I}`,
].join('|');
const GEOMETRY = [
  `Ve\\s+${N}${N}${N}${N}(?:${ON_POINT})*${N}0\\s+`,
  `Ed\\s+${N}[01]\\s+[01]\\s+[01]\\s+(?:${ON_EDGE})*0\\s+`,
  `Fa\\s+[01]\\s+${N}${I}${I}(?:2\\s+${I})?`,
  String.raw`(?:Wi|Sh|So|CS|Co)\s+`,
].join('|');
/** One shape: its geometry, seven flags, and its subshapes. */
const SHAPE = new RegExp(String.raw`\s*(?:${GEOMETRY})[01]{7}\s+(?:[-+ie]\d+\s+\d+\s+)*\*`, 'y');

/** Returns whether a text begins with this many shapes of a BREP of version 1. */
export function hasCompleteShapes(text: string, count: number): boolean {
  SHAPE.lastIndex = 0;
  for (let shape = 0; shape < count; shape++) if (!SHAPE.test(text)) return false;
  return true;
}
