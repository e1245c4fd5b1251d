import FormData from 'form-data';
import { type Chunks, RequestBody } from '../transport/request-body.js';

/**
 * Creates a multipart/form-data body with one file (RFC 7578) and the headers of its request. `size` is the total
 * number of bytes in `chunks`.
 */
export function createMultipartBody(
  file: { filename: string; contentType: string; size: number },
  chunks: Chunks,
): { headers: Record<string, string>; body: RequestBody } {
  const { filename, contentType, size } = file;
  // The form of an empty file consists of the bytes before and after the content.
  const form = new FormData();
  form.append('file', Buffer.alloc(0), { filename, contentType });
  const frame = form.getBuffer();
  const headBytes = frame.indexOf('\r\n\r\n') + 4;
  const headers = { ...form.getHeaders(), 'Content-Length': String(frame.length + size) };
  return {
    headers,
    body: new RequestBody(frameChunks(frame.subarray(0, headBytes), chunks, frame.subarray(headBytes))),
  };
}

async function* frameChunks(head: Uint8Array, chunks: Chunks, tail: Uint8Array): AsyncGenerator<Uint8Array> {
  yield head;
  yield* chunks;
  yield tail;
}
