/** A run of percent-encoded bytes. */
const ENCODED_BYTES = /(?:%[0-9a-f]{2})+/gi;

/**
 * Decodes the percent-encoded bytes of a URI reference (RFC 3986, 2.1): as UTF-8, or as Latin-1 if they are not valid.
 * A percent sign that encodes nothing stays, as in `10%.bin`.
 */
export function decodePercent(reference: string): string {
  return reference.replace(ENCODED_BYTES, (run) => {
    const bytes = Buffer.from(run.replaceAll('%', ''), 'hex');
    const text = bytes.toString('utf8');
    return text.includes('\ufffd') ? bytes.toString('latin1') : text;
  });
}
