import { ServiceError } from '../service-error.js';

/** Takes what a `MultipartReader` finds, in the order of the body. */
export interface PartListener {
  /** A part begins. Names of headers are in lower case. */
  onPart(headers: ReadonlyMap<string, string>): void;
  /** Bytes of that part, in pieces that are parts of the chunks: what keeps them keeps the chunks. */
  onData(bytes: Buffer): void;
}

// Ours to say: no client sends more than a few hundred bytes of headers.
const MAX_HEADER_BYTES = 16 * 1024;
const CARRIAGE_RETURN = 13;

/** Encodings that leave bytes as they are (RFC 2045, section 6.2). */
const IDENTITY_ENCODINGS = ['7bit', '8bit', 'binary'];

function malformed(what: string): ServiceError {
  return new ServiceError('MULTIPART_MALFORMED', `the body is no multipart/form-data with one whole file: ${what}`);
}

/** The boundary that a Content-Type header names, quoted or not. Throws `MULTIPART_MALFORMED` where it names none. */
export function parseBoundary(contentType: string): string {
  const match = /;\s*boundary\s*=\s*(?:"([^"]+)"|([^;\s"]+))/i.exec(contentType);
  const boundary = match?.[1] ?? match?.[2];
  if (boundary === undefined) throw malformed('the header Content-Type names no boundary');
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
      `its Content-Transfer-Encoding is ${encoding.slice(0, 40)}: send the bytes of the file as they are`,
    );
  }
  return headers;
}

/**
 * Reads a multipart body (RFC 2046, section 5.1) as its chunks come in, and tells its listener what it finds. Copies nothing of the parts,
 * and looks for the delimiter with the system's search only. Bytes before the first part and after the last one are passed over.
 * Every method throws `ServiceError` `MULTIPART_MALFORMED` for what cannot be read, and what the listener throws.
 */
export class MultipartReader {
  readonly #delimiter: Buffer;
  readonly #listener: PartListener;
  #state: 'preamble' | 'head' | 'part' | 'end' = 'preamble';
  /** How many bytes at the end of what was pushed may be the beginning of a delimiter. The first one needs no line end before it. */
  #held = 2;
  /** What follows a delimiter, until its headers are whole. */
  #head: Buffer = Buffer.alloc(0);

  constructor(boundary: string, listener: PartListener) {
    this.#delimiter = Buffer.from(`\r\n--${boundary}`);
    this.#listener = listener;
  }

  push(chunk: Buffer): void {
    let rest: Buffer | undefined = chunk;
    while (rest && rest.length > 0 && this.#state !== 'end') {
      rest = this.#state === 'head' ? this.#readHead(rest) : this.#readPart(rest);
    }
  }

  /** Says that the body is over. */
  end(): void {
    if (this.#state === 'end') return;
    throw malformed(this.#state === 'preamble' ? 'its boundary is not in it' : 'it ends before its last boundary');
  }

  #emit(bytes: Buffer): void {
    if (this.#state === 'part' && bytes.length > 0) this.#listener.onData(bytes);
  }

  #enterHead(rest: Buffer): Buffer {
    this.#state = 'head';
    this.#held = 0;
    return rest;
  }

  /** Reads up to the next delimiter; answers what follows it, if it is there. */
  #readPart(chunk: Buffer): Buffer | undefined {
    const delimiter = this.#delimiter;
    if (this.#held > 0) {
      const wanted = delimiter.subarray(this.#held, this.#held + chunk.length);
      if (chunk.subarray(0, wanted.length).equals(wanted)) {
        this.#held += wanted.length;
        return this.#held === delimiter.length ? this.#enterHead(chunk.subarray(wanted.length)) : undefined;
      }
      // A line end begins a delimiter and stands nowhere else in it: no other one begins within what was held.
      this.#emit(delimiter.subarray(0, this.#held));
      this.#held = 0;
    }
    const match = chunk.indexOf(delimiter);
    if (match >= 0) {
      this.#emit(chunk.subarray(0, match));
      return this.#enterHead(chunk.subarray(match + delimiter.length));
    }
    const last = chunk.lastIndexOf(CARRIAGE_RETURN);
    const tail = last < 0 ? undefined : chunk.subarray(last);
    if (tail && tail.length < delimiter.length && delimiter.subarray(0, tail.length).equals(tail))
      this.#held = tail.length;
    this.#emit(chunk.subarray(0, chunk.length - this.#held));
    return undefined;
  }

  /** Reads what follows a delimiter: the end of the body, or the headers of a part. Answers the first bytes of the part. */
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
    if (padding.trim() !== '') throw malformed('a line that begins with the boundary goes on after it');
    this.#state = 'part';
    this.#listener.onPart(readHeaders(lines));
    return head.subarray(end + 4);
  }
}
