import { hasCompleteShapes } from './brep-shapes.js';

// A word, a star, or a number that fits: whole ones below two thousand million, others below 1e308. Whole ones may lead a shape inside or outside another,
// and be followed by how smoothly two faces meet; `p` stands before a deflection.
const VALID_TOKEN = String.raw`[A-Z]\w*|\*|p|[-+ie]?[01]?\d{1,9}|\d{1,9}(?:C[N0-3]|G[12])|[-+]?(?:\d+\.\d*|\.\d+|\d+(?=[eE]))(?:[eE][-+]?(?:[0-2]?\d{1,2}|30[0-7]))?`;
const INVALID_TOKEN = new RegExp(String.raw`(?:^|\s)(?!(?:${VALID_TOKEN})(?:\s|$))\S`);
const HEAD = /CASCADE Topology V(\d)[^\n]*\n/;

/**
 * Whether a BREP is whole, as far as the library needs it, which else looks for the rest for ever: all that follows its head are words and
 * numbers, no list says that it is longer than the file, and as many shapes as it announces are there, each with all of its words in version 1,
 * which nearly all programs write, and with its end, a star, in others.
 */
export function isCompleteBrep(text: string): boolean {
  const head = HEAD.exec(text);
  const announced = /^TShapes (\d+)/m.exec(text);
  if (!head || !announced) return false;
  const content = text.slice(head.index + head[0].length);
  const counts = Array.from(content.matchAll(/^[A-Z]\w+ (-?\d+)/gm), ([, count]) => Number(count));
  const isLong = counts.some((count) => count < 0 || count >= text.length);
  const shapes = text.slice(announced.index + announced[0].length);
  const count = Number(announced[1]);
  const isWhole =
    head[1] === '1' ? hasCompleteShapes(shapes, count) : (shapes.match(/\*[ \r]*$/gm) ?? []).length >= count;
  return !isLong && isWhole && !INVALID_TOKEN.test(content);
}
