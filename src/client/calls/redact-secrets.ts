const MIN_LENGTH = 4;

/** The text with every one of these secrets blotted out, as it stands or encoded: a service may quote what it was sent. */
export function redactSecrets(text: string, secrets: readonly string[]): string {
  let hidden = text;
  for (const secret of secrets) {
    // Shorter ones would blot out parts of common words, and tell where they stand.
    if (secret.length < MIN_LENGTH) continue;
    for (const form of [secret, encodeURIComponent(secret), Buffer.from(secret).toString('base64')]) {
      hidden = hidden.replaceAll(form, '…');
    }
  }
  return hidden;
}
