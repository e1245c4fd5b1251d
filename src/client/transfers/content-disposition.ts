/**
 * Returns the filename of a Content-Disposition header, undefined if it has none. Prefers `filename*` (RFC 8187) over
 * `filename` (RFC 6266, section 4.3).
 */
export function parseDispositionFilename(header: string | undefined): string | undefined {
  if (!header) return undefined;
  const extended = /(?:^|;)\s*filename\*\s*=\s*([\w-]+)'[^']*'([^;\s]+)/i.exec(header);
  const decoded = extended && decodeExtended(extended[1] ?? '', extended[2] ?? '');
  if (decoded) return decoded;
  const quoted = /(?:^|;)\s*filename\s*=\s*"((?:\\.|[^"\\])*)"/i.exec(header)?.[1];
  if (quoted !== undefined) return decodeUtf8(quoted.replace(/\\(.)/g, '$1'));
  const bare = /(?:^|;)\s*filename\s*=\s*([^;"\s]+)/i.exec(header)?.[1];
  return bare === undefined ? undefined : decodeUtf8(bare);
}

function decodeExtended(charset: string, value: string): string | undefined {
  try {
    if (/^utf-8$/i.test(charset)) return decodeURIComponent(value);
    return /^iso-8859-1$/i.test(charset) ? percentDecode(value) : undefined;
  } catch {
    // Invalid percent-encoding: fall back to the plain parameter.
    return undefined;
  }
}

function percentDecode(value: string): string {
  return value.replace(/%([0-9a-f]{2})/gi, (_all, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}

/**
 * Returns a header value as UTF-8 if it is valid UTF-8. Node.js decodes headers as Latin-1; many services send UTF-8.
 */
function decodeUtf8(text: string): string {
  const bytes = Buffer.from(text, 'latin1');
  const decoded = bytes.toString('utf8');
  return decoded.includes('\uFFFD') ? text : decoded;
}
