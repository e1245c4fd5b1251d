/** A member of a dictionary whose value is a byte sequence (RFC 9651, sections 3.2 and 3.3.5), with its parameters. */
const MEMBER = /^([a-z*][a-z0-9_.*-]*)=:([A-Za-z0-9+/]*={0,2}):(?:; *[a-z*][a-z0-9_.*-]*(?:=[^",;\s]*)?)*$/;
const SHA256_BYTES = 32;

/** Returns the value of a Repr-Digest header (RFC 9530, section 3) for a SHA-256 in hexadecimal. */
export function formatDigestHeader(sha256: string): string {
  return `sha-256=:${Buffer.from(sha256, 'hex').toString('base64')}:`;
}

/**
 * Returns the SHA-256 of a Content-Digest or Repr-Digest header in hexadecimal. Undefined if the header has no
 * `sha-256`, or is malformed: such a field is ignored (RFC 9651, section 4.2).
 */
export function parseDigestHeader(header: string): string | undefined {
  let digest: Buffer | undefined;
  for (const member of header.trim().split(/[ \t]*,[ \t]*/)) {
    const [, algorithm, base64] = MEMBER.exec(member) ?? [];
    if (base64 === undefined) return undefined;
    if (algorithm === 'sha-256') digest = Buffer.from(base64, 'base64');
  }
  return digest?.length === SHA256_BYTES ? digest.toString('hex') : undefined;
}
