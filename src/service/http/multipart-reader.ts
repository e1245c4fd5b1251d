import { ServiceError } from '../service-error.js';

/** Receives the parts that a `MultipartReader` parses, in the order of the body. */
export interface PartListener {
  /** Called at the start of a part. Header names are in lower case. */
  onPart(headers: ReadonlyMap<string, string>): void;
  /**
   * Called with the next bytes of the current part. They are views of the pushed chunk, so keeping them keeps the chunk
   * in memory.
   */
  onData(bytes: Buffer): void;
}

// The RFCs set no limit; clients send a few hundred bytes of headers.
const MAX_HEADER_BYTES = 16 * 1024;
const CARRIAGE_RETURN = 13;

/** Encodings that leave the bytes unchanged (RFC 2045, section 6.2). */
const IDENTITY_ENCODINGS = ['7bit', '8bit', 'binary'];

function malformed(reason: string): ServiceError {
  return new ServiceError('MULTIPART_MALFORMED', `Invalid multipart/form-data body: ${reason}.`);
}

/**
 * Returns the boundary of a Content-Type header, quoted or not (RFC 2046, section 5.1.1). Throws `MULTIPART_MALFORMED`
 * if it has none.
 */
export function parseBoundary(contentType: string): string {
  const match = /;\s*boundary\s*=\s*(?:"([^"]+)"|([^;\s"]+))/i.exec(contentType);
  const boundary = match?.[1] ?? match?.[2];
  if (boundary === undefined) throw malformed('the Content-Type header has no boundary');
  return boundary;
}

function readHeaders(lines: readonly string[]): Map<string, string> {
  const headers = new Map<string, string>();
  for (const line of lines) {
    const colon = line.indexOf(':');
    if (colon < 1) throw malformed('a header of a part has no name');
    headers.set(line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim());
  }
  const encoding = headers.get('content-transfer-encoding') ?? 'binary';
  if (!IDENTITY_ENCODINGS.includes(encoding.toLowerCase())) {
    throw malformed(
      `Content-Transfer-Encoding "${encoding.slice(0, 40)}" is not supported. Send the file without encoding`,
    );
  }
  return headers;
}

/**
 * Parses a multipart body (RFC 2046, section 5.1; RFC 7578) incrementally and notifies a listener of its parts. Copies
 * no part data, and finds the delimiter with `Buffer.indexOf`. Ignores the preamble and the epilogue. Every method
 * throws `MULTIPART_MALFORMED` for an invalid body, and whatever the listener throws.
 *
 * States: *preamble* until the first delimiter; *head* from a delimiter until the headers after it are complete; *part*
 * until the next delimiter; *end* after the closing delimiter, when all input is ignored.
 */
export class MultipartReader {
  readonly #delimiter: Buffer;
  readonly #listener: PartListener;
  #state: 'preamble' | 'head' | 'part' | 'end' = 'preamble';
  /**
   * Bytes of the delimiter that matched at the end of the last chunk and were not emitted yet. Starts at 2, because the
   * first delimiter needs no CRLF before it.
   */
  #pending = 2;
  /** Bytes after a delimiter, until its headers are complete. */
  #head: Buffer = Buffer.alloc(0);

  constructor(boundary: string, listener: PartListener) {
    this.#delimiter = Buffer.from(`\r\n--${boundary}`);
    this.#listener = listener;
  }

  /** Parses the next chunk of the body. */
  push(chunk: Buffer): void {
    let remaining: Buffer | undefined = chunk;
    while (remaining && remaining.length > 0 && this.#state !== 'end') {
      remaining = this.#state === 'head' ? this.#readHead(remaining) : this.#readPart(remaining);
    }
  }

  /** Ends the body. Throws `MULTIPART_MALFORMED` if the closing delimiter was not found. */
  end(): void {
    if (this.#state === 'end') return;
    throw malformed(
      this.#state === 'preamble' ? 'the boundary does not occur in it' : 'the closing boundary is missing',
    );
  }

  #emit(bytes: Buffer): void {
    if (this.#state === 'part' && bytes.length > 0) this.#listener.onData(bytes);
  }

  #enterHead(remaining: Buffer): Buffer {
    this.#state = 'head';
    this.#pending = 0;
    return remaining;
  }

  /**
   * Reads up to the next delimiter. Returns the bytes after it, or `undefined` if the chunk does not contain a whole
   * one.
   */
  #readPart(chunk: Buffer): Buffer | undefined {
    const delimiter = this.#delimiter;
    if (this.#pending > 0) {
      const expected = delimiter.subarray(this.#pending, this.#pending + chunk.length);
      if (chunk.subarray(0, expected.length).equals(expected)) {
        this.#pending += expected.length;
        return this.#pending === delimiter.length ? this.#enterHead(chunk.subarray(expected.length)) : undefined;
      }
      // CR occurs only at the start of the delimiter, so no other delimiter can begin within the held bytes.
      this.#emit(delimiter.subarray(0, this.#pending));
      this.#pending = 0;
    }
    const match = chunk.indexOf(delimiter);
    if (match >= 0) {
      this.#emit(chunk.subarray(0, match));
      return this.#enterHead(chunk.subarray(match + delimiter.length));
    }
    const last = chunk.lastIndexOf(CARRIAGE_RETURN);
    const tail = last < 0 ? undefined : chunk.subarray(last);
    if (tail && tail.length < delimiter.length && delimiter.subarray(0, tail.length).equals(tail))
      this.#pending = tail.length;
    this.#emit(chunk.subarray(0, chunk.length - this.#pending));
    return undefined;
  }

  /**
   * Reads the bytes after a delimiter: the end of the body, or the headers of a part. Returns the first bytes of the
   * part.
   */
  #readHead(chunk: Buffer): Buffer | undefined {
    const head = Buffer.concat([this.#head, chunk]);
    if (head.subarray(0, 2).equals(Buffer.from('--'))) {
      this.#state = 'end';
      return undefined;
    }
    const end = head.indexOf('\r\n\r\n');
    if (end < 0 ? head.length > MAX_HEADER_BYTES : end > MAX_HEADER_BYTES)
      throw malformed('the headers of a part are too long');
    this.#head = end < 0 ? head : Buffer.alloc(0);
    if (end < 0) return undefined;
    const [padding = '', ...lines] = head.toString('utf8', 0, end).split('\r\n');
    if (padding.trim() !== '') throw malformed('a boundary line has extra characters');
    this.#state = 'part';
    this.#listener.onPart(readHeaders(lines));
    return head.subarray(end + 4);
  }
}
