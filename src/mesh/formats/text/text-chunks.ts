const CHARACTERS_PER_CHUNK = 1 << 18;

/** Joins small pieces of text to chunks of bytes (UTF-8) of some hundred thousand each. */
export function* textChunks(pieces: Iterable<string>): Iterable<Uint8Array> {
  const encoder = new TextEncoder();
  let text = '';
  for (const piece of pieces) {
    text += piece;
    if (text.length < CHARACTERS_PER_CHUNK) continue;
    yield encoder.encode(text);
    text = '';
  }
  if (text !== '') yield encoder.encode(text);
}
