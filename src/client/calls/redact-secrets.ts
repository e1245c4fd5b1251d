const MIN_LENGTH = 4;

/**
 * Returns the text with each secret replaced by an ellipsis, also where it is URL-encoded or Base64-encoded: a service
 * may quote the request in its reply. Secrets of fewer than 4 characters are not replaced.
 */
export function redactSecrets(text: string, secrets: readonly string[]): string {
  let redacted = text;
  for (const secret of secrets) {
    // Shorter secrets occur in common words. Replacing them there would reveal them.
    if (secret.length < MIN_LENGTH) continue;
    for (const form of [secret, encodeURIComponent(secret), Buffer.from(secret).toString('base64')]) {
      redacted = redacted.replaceAll(form, '…');
    }
  }
  return redacted;
}
