/** The client id and secret of a Basic header. */
export interface ClientCredentials {
  id: string;
  secret: string;
}

function decodeForm(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text; // a bare percent sign: the text is not form-encoded
  }
}

/**
 * Returns the client credentials that `Authorization: Basic …` (RFC 7617) can mean, the most likely first: verbatim,
 * then form-decoded. RFC 6749, section 2.3.1, demands form encoding before Base64, but not all clients do it. Returns
 * an empty list if the header is invalid.
 */
export function parseBasicHeader(header: string | undefined): ClientCredentials[] {
  const encoded = /^basic +([a-z0-9+/_-]+=*) *$/i.exec(header ?? '')?.[1];
  if (encoded === undefined) return [];
  const text = Buffer.from(encoded, 'base64').toString('utf8');
  const colon = text.indexOf(':');
  if (colon < 0) return [];
  const verbatim = { id: text.slice(0, colon), secret: text.slice(colon + 1) };
  const decoded = { id: decodeForm(verbatim.id), secret: decodeForm(verbatim.secret) };
  return decoded.id === verbatim.id && decoded.secret === verbatim.secret ? [verbatim] : [verbatim, decoded];
}
