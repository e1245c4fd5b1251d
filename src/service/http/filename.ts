const MAX_LENGTH = 200;

/**
 * Returns a filename without folders and without characters that file systems or headers reject, truncated to 200
 * characters including its extension. Returns `undefined` if no character remains.
 */
export function sanitizeFilename(name: string): string | undefined {
  const base = name.split(/[\\/]/).at(-1) ?? '';
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are removed here
  const clean = base.replace(/[\u0000-\u001f\u007f\ufffd"<>|:*?]/g, '').trim();
  if (/^\.*$/.test(clean)) return undefined;
  const characters = [...clean];
  if (characters.length <= MAX_LENGTH) return clean;
  const extension = /\.[^.]{1,20}$/.exec(clean)?.[0] ?? '';
  return [...characters.slice(0, MAX_LENGTH - extension.length), extension].join('');
}

function decodeExtendedValue(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined; // not valid percent-encoding
  }
}

/**
 * Returns the filename of a Content-Disposition header, or an empty string if it has none. The parameter name is
 * case-insensitive and its value may be quoted (RFC 7578, section 4.2; browsers encode a quotation mark as %22). The
 * extended form `filename*=UTF-8''…` (RFC 5987) takes precedence.
 */
export function parseContentDisposition(disposition: string): string {
  const extended = /;\s*filename\*\s*=\s*(?:utf-8|us-ascii)'[^']*'([^;\s]+)/i.exec(disposition)?.[1];
  const plain = /;\s*filename\s*=\s*(?:"((?:\\"|[^"])*)"|([^;"]+))/i.exec(disposition);
  const text = (plain?.[1] ?? plain?.[2] ?? '').replaceAll('\\"', '"').replaceAll('%22', '"');
  return (extended === undefined ? undefined : decodeExtendedValue(extended)) ?? text;
}

function encodeExtendedValue(name: string): string {
  return encodeURIComponent(name).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/**
 * Returns the Content-Disposition header of a download (RFC 6266): an ASCII filename for old clients, and the extended
 * UTF-8 form if the two differ.
 */
export function formatContentDisposition(filename: string): string {
  const plain = filename.replace(/[^\x20-\x7e]/g, '_').replace(/["\\%]/g, '_');
  const head = `attachment; filename="${plain}"`;
  return plain === filename ? head : `${head}; filename*=UTF-8''${encodeExtendedValue(filename)}`;
}
