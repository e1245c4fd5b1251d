const CHARACTERS_PER_CHUNK = 1 << 18;

/** Joins short strings to UTF-8 chunks of at least 256 Ki characters, except for the last. */
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
