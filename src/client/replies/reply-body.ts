import { AttemptFailure } from '../transport/attempt-failure.js';
import type { Reply } from '../transport/transport.js';

/** Reads the body of a reply as UTF-8 text. Throws `BAD_REPLY` if it is compressed or longer than `maxBytes`. */
export async function readReplyText(reply: Reply, maxBytes: number): Promise<string> {
  const encoding = reply.headers['content-encoding'];
  if (encoding && encoding !== 'identity')
    throw malformedReply(`the reply has an unexpected Content-Encoding (${encoding.slice(0, 40)})`);
  const chunks: Buffer[] = [];
  let byteCount = 0;
  for await (const chunk of reply.body) {
    // No encoding is set on the stream, so its chunks are Buffers.
    const bytes = chunk as Buffer;
    byteCount += bytes.length;
    if (byteCount > maxBytes) throw malformedReply(`the reply is longer than ${maxBytes} bytes`);
    chunks.push(bytes);
  }
  return Buffer.concat(chunks)
    .toString('utf8')
    .replace(/^\uFEFF/, '');
}

/**
 * Parses JSON. Drops the keys that could modify a prototype (`__proto__`, `constructor`, `prototype`) at any depth.
 * Throws `BAD_REPLY` for invalid JSON.
 */
export function parseReplyJson(text: string): unknown {
  try {
    return JSON.parse(text, (key, value: unknown) => (UNSAFE_KEYS.has(key) ? undefined : value));
  } catch {
    throw malformedReply(text.trim() === '' ? 'the reply is empty' : 'the reply is not valid JSON');
  }
}

const UNSAFE_KEYS = new Set(['__proto__', 'constructor', 'prototype']);

function malformedReply(detail: string): AttemptFailure {
  return new AttemptFailure('garbled', 'BAD_REPLY', detail);
}
