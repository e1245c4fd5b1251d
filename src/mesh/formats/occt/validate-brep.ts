import { hasCompleteShapes } from './brep-shapes.js';

// A word, an asterisk, or a number in range: integers below 2e9, others below 1e308. An integer may have a prefix for
// orientation, or be followed by the continuity between two faces; `p` precedes a deflection.
const VALID_TOKEN = String.raw`[A-Z]\w*|\*|p|[-+ie]?[01]?\d{1,9}|\d{1,9}(?:C[N0-3]|G[12])|[-+]?(?:\d+\.\d*|\.\d+|\d+(?=[eE]))(?:[eE][-+]?(?:[0-2]?\d{1,2}|30[0-7]))?`;
const INVALID_TOKEN = new RegExp(String.raw`(?:^|\s)(?!(?:${VALID_TOKEN})(?:\s|$))\S`);
const HEADER = /CASCADE Topology V(\d)[^\n]*\n/;

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
