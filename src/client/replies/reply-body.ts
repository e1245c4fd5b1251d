import { AttemptFailure } from '../transport/attempt-failure.js';
import type { Reply } from '../transport/transport.js';

/** Reads a reply's body to its end, at most `maxBytes`: `BAD_REPLY` beyond that, and where it comes compressed. */
export async function readReplyText(reply: Reply, maxBytes: number): Promise<string> {
  const encoding = reply.headers['content-encoding'];
  if (encoding && encoding !== 'identity') throw malformedReply(`the reply is encoded as ${encoding.slice(0, 40)}`);
  const chunks: Buffer[] = [];
  let byteCount = 0;
  for await (const chunk of reply.body) {
    // The body of a reply has no encoding set, so its chunks are Buffers.
    const bytes = chunk as Buffer;
    byteCount += bytes.length;
    if (byteCount > maxBytes) throw malformedReply(`the reply is longer than ${maxBytes} bytes`);
    chunks.push(bytes);
  }
  return Buffer.concat(chunks)
    .toString('utf8')
    .replace(/^\uFEFF/, '');
}

/** Reads JSON. Keys that could reach a prototype are dropped, at any depth. `BAD_REPLY` for what is no JSON. */
export function parseReplyJson(text: string): unknown {
  try {
    return JSON.parse(text, (key, value: unknown) => (UNSAFE_KEYS.has(key) ? undefined : value));
  } catch {
    throw malformedReply(text.trim() === '' ? 'the reply is empty' : 'the reply is no JSON');
  }
}

const UNSAFE_KEYS = new Set(['__proto__', 'constructor', 'prototype']);

function malformedReply(detail: string): AttemptFailure {
  return new AttemptFailure('garbled', 'BAD_REPLY', detail);
}
