/** A line whose keyword matters, up to the next line. */
const KEYWORD_LINE = /^[ \t]*(OBJECT|loc|rot|kids|data)[ \t]+([^\r\n]*)(?:\r\n|\r|\n|$)/gm;

/** A range of the text and what replaces it. */
interface Edit {
  start: number;
  end: number;
  replacement: string;
}

/** An object with geometry whose `kids` were not read yet. */
interface OpenObject {
  start: number;
  /** Its lines `loc` and `rot`. */
  transforms: Edit[];
  hasLoc: boolean;
}

/**
 * Returns an AC3D whose transforms assimp applies correctly: a `poly` with a `loc` that also has a `rot` or kids becomes
 * a group, which contains it and its kids. According to the description of the format (inivis.com, The AC3D file format),
 * both are relative to the parent, also of kids, and a point is rotated, then moved. Assimp does so for groups, but
 * rotates the `loc` of a `poly`, and moves no kids with it. It also reads the data of an object, which may be any text,
 * so they are removed.
 */
export function groupAc3dTransforms(bytes: Uint8Array): Uint8Array {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');
  const edits = listEdits(text);
  if (edits.length === 0) return bytes;
  const pieces: string[] = [];
  let offset = 0;
  for (const { start, end, replacement } of edits) {
    pieces.push(text.slice(offset, start), replacement);
    offset = end;
  }
  pieces.push(text.slice(offset));
  return Buffer.from(pieces.join(''), 'latin1');
}

/** Lists the edits, sorted by position. */
function listEdits(text: string): Edit[] {
  const edits: Edit[] = [];
  const lines = new RegExp(KEYWORD_LINE);
  let object: OpenObject | undefined;
  for (let match = lines.exec(text); match; match = lines.exec(text)) {
    const { 0: line, 1: keyword, 2: value, index: start } = match;
    const end = start + line.length;
    if (keyword === 'OBJECT') object = value.startsWith('poly') ? { start, transforms: [], hasLoc: false } : undefined;
    else if (keyword === 'data') {
      // The length of the text that follows.
      lines.lastIndex = end + Math.max(0, Number.parseInt(value, 10) || 0);
      edits.push({ start, end: lines.lastIndex, replacement: '' });
    } else if (keyword === 'kids') {
      if (object) edits.push(...wrapObject(text, object, { start, end, replacement: value }));
      object = undefined;
    } else if (object) {
      object.transforms.push({ start, end, replacement: '' });
      object.hasLoc ||= keyword === 'loc';
    }
  }
  return edits.sort((a, b) => a.start - b.start);
}

/**
 * Returns the edits that put an object and its kids into a group, or none if assimp places it correctly. `kids`: its last
 * line, with the number of kids.
 */
function wrapObject(text: string, { start, transforms, hasLoc }: OpenObject, kids: Edit): Edit[] {
  const kidCount = Number.parseInt(kids.replacement, 10) || 0;
  if (!hasLoc || (transforms.length === 1 && kidCount === 0)) return [];
  const lines = transforms.map((line) => `${text.slice(line.start, line.end).trim()}\n`).join('');
  return [
    { start, end: start, replacement: `OBJECT group\n${lines}kids ${kidCount + 1}\n` },
    ...transforms,
    { ...kids, replacement: 'kids 0\n' },
  ];
}
