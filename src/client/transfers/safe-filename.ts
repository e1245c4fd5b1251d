const MAX_BYTES = 200;
const RESERVED = /^(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])$/i;

/**
 * A name that is safe to use in any folder of any system, made of one that somebody else chose: the last part of a path, no
 * control or direction characters, none that a system forbids, no leading dot (hidden) and no trailing dot or blank (Windows
 * drops them), reserved names of Windows with an underscore before them, at most 200 bytes with the extension kept.
 * Undefined where nothing is left.
 */
export function safeFilename(name: string): string | undefined {
  const base = name.normalize('NFC').split(/[/\\]/).pop() ?? '';
  const clean = base
    .replace(/\p{C}/gu, '')
    .replace(/[<>:"|?*]/g, '_')
    .replace(/^[.\s]+|[.\s]+$/g, '');
  if (clean === '') return undefined;
  const usable = RESERVED.test(clean.split('.', 1)[0]?.trim() ?? '') ? `_${clean}` : clean;
  return truncateFilename(usable);
}

/** `part.stl` → `part-2.stl`. */
export function numberedName(name: string, number: number): string {
  const { stem, extension } = splitExtension(name);
  return `${stem}-${number}${extension}`;
}

function truncateFilename(name: string): string {
  if (Buffer.byteLength(name) <= MAX_BYTES) return name;
  const { stem, extension } = splitExtension(name);
  let short = '';
  for (const character of stem) {
    if (Buffer.byteLength(short + character + extension) > MAX_BYTES) break;
    short += character;
  }
  return short.replace(/[.\s]+$/, '') + extension;
}

/** An extension longer than 20 characters is none. */
function splitExtension(name: string): { stem: string; extension: string } {
  const extension = /.(\.[^.\s]{1,20})$/u.exec(name)?.[1] ?? '';
  return { stem: name.slice(0, name.length - extension.length), extension };
}
