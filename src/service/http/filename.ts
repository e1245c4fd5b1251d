const MAX_LENGTH = 200;

/**
 * The name of a file as we keep it: without folders and without characters that no file system or header takes, at most 200 long with its
 * extension. `undefined` where nothing is left of it.
 */
export function sanitizeFilename(name: string): string | undefined {
  const base = name.split(/[\\/]/).at(-1) ?? '';
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what has to go
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
    return undefined; // not what it says it is
  }
}

/**
 * The filename of a Content-Disposition header, empty where it has none: the name of the parameter in any case, its value quoted or not
 * (RFC 7578, section 4.2; browsers write a quotation mark as %22), or in the form `filename*=UTF-8''…` (RFC 5987), which wins.
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

/** The header that names a download (RFC 6266): plain for old clients, and in UTF-8 where the plain form cannot say it. */
export function formatContentDisposition(filename: string): string {
  const plain = filename.replace(/[^\x20-\x7e]/g, '_').replace(/["\\%]/g, '_');
  const head = `attachment; filename="${plain}"`;
  return plain === filename ? head : `${head}; filename*=UTF-8''${encodeExtendedValue(filename)}`;
}
