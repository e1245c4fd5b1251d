// A word, an asterisk, or a number in range: integers below 2e9, others below 1e308. An integer may have a prefix for
// orientation, or be followed by the continuity between two faces; `p` precedes a deflection.
const VALID_TOKEN = String.raw`[A-Z]\w*|\*|p|[-+ie]?[01]?\d{1,9}|\d{1,9}(?:C[N0-3]|G[12])|[-+]?(?:\d+\.\d*|\.\d+|\d+(?=[eE]))(?:[eE][-+]?(?:[0-2]?\d{1,2}|30[0-7]))?`;
const INVALID_TOKEN = new RegExp(String.raw`(?:^|\s)(?!(?:${VALID_TOKEN})(?:\s|$))\S`);
const HEADER = /CASCADE Topology V(\d)[^\n]*\n/;

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

/**
 * Returns whether a BREP is complete as far as OpenCASCADE requires, which otherwise searches forever for the rest. The
 * content after the header consists of words and numbers, no declared count exceeds the length of the file, and all
 * declared shapes exist: with all of their tokens in version 1, which nearly all programs write, or with a final
 * asterisk in others.
 */
export function isCompleteBrep(text: string): boolean {
  const header = HEADER.exec(text);
  const shapesHeader = /^TShapes (\d+)/m.exec(text);
  if (!header || !shapesHeader) return false;
  const content = text.slice(header.index + header[0].length);
  const counts = Array.from(content.matchAll(/^[A-Z]\w+ (-?\d+)/gm), ([, count]) => Number(count));
  const hasExcessiveCount = counts.some((count) => count < 0 || count >= text.length);
  const shapes = text.slice(shapesHeader.index + shapesHeader[0].length);
  const count = Number(shapesHeader[1]);
  const hasAllShapes =
    header[1] === '1' ? hasCompleteShapes(shapes, count) : (shapes.match(/\*[ \r]*$/gm) ?? []).length >= count;
  return !hasExcessiveCount && hasAllShapes && !INVALID_TOKEN.test(content);
}

/** Returns whether a text begins with this many shapes of a BREP of version 1. */
function hasCompleteShapes(text: string, count: number): boolean {
  SHAPE.lastIndex = 0;
  for (let shape = 0; shape < count; shape++) if (!SHAPE.test(text)) return false;
  return true;
}
