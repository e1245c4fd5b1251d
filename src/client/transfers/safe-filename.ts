const MAX_BYTES = 200;
/** Device names of Windows. */
const RESERVED = /^(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])$/i;

/**
 * Returns an untrusted filename in a form that is valid on every operating system. Undefined if no characters remain.
 * - Only the last segment of a path is kept.
 * - Control and bidirectional formatting characters are removed; characters that Windows forbids become underscores.
 * - Leading dots (hidden files) and trailing dots and spaces (ignored by Windows) are removed.
 * - Device names of Windows are prefixed with an underscore.
 * - The name is truncated to 200 bytes, without its extension.
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

/** Returns a filename with a number before its extension: `part.stl` → `part-2.stl`. */
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

/** Extensions of more than 20 characters count as part of the stem. */
function splitExtension(name: string): { stem: string; extension: string } {
  const extension = /.(\.[^.\s]{1,20})$/u.exec(name)?.[1] ?? '';
  return { stem: name.slice(0, name.length - extension.length), extension };
}
