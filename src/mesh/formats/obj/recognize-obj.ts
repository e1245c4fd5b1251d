import { type Content, isText } from '../recognition/content.js';

const STATEMENT = /^(?:v|vt|vn|vp|f|l|p|o|g|s|mg|usemtl|mtllib|maplib|usemap|cstype)(?:\s|$)/;
const VERTEX = /^v(?:\s+-?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?){3}(?:\s|$)/i;
const MAX_LINES = 1000;
/** A line that is no comment, with the backslash by which the next one continues it. */
const CONTINUED = /^([^#\r\n][^\r\n]*)\\\r?\n/gm;

/** Returns whether content is an OBJ: text whose first lines are statements or comments, one of them a vertex. */
export function recognizeObj(content: Content): boolean {
  if (!isText(content)) return false;
  const lines = content.start.replace(CONTINUED, '$1 ').split(/[\r\n]+/, MAX_LINES);
  lines.pop(); // it may be truncated
  const statements = lines.map((line) => line.trim()).filter((line) => line !== '' && !line.startsWith('#'));
  return statements.some((line) => VERTEX.test(line)) && statements.every((line) => STATEMENT.test(line));
}
