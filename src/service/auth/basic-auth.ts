/** A client's id and secret as a Basic header gives them. */
export interface ClientCredentials {
  id: string;
  secret: string;
}

function decodeForm(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text; // a bare percent sign: it was not encoded
  }
}

/**
 * The pairs that `Authorization: Basic …` may mean, likeliest first: as it stands, then form-decoded, since clients differ in whether they
 * encode before Base64 (RFC 6749, section 2.3.1). Empty where the header is not one.
 */
export function parseBasicHeader(header: string | undefined): ClientCredentials[] {
  const encoded = /^basic +([a-z0-9+/_-]+=*) *$/i.exec(header ?? '')?.[1];
  if (encoded === undefined) return [];
  const text = Buffer.from(encoded, 'base64').toString('utf8');
  const colon = text.indexOf(':');
  if (colon < 0) return [];
  const plain = { id: text.slice(0, colon), secret: text.slice(colon + 1) };
  const other = { id: decodeForm(plain.id), secret: decodeForm(plain.secret) };
  return other.id === plain.id && other.secret === plain.secret ? [plain] : [plain, other];
}
