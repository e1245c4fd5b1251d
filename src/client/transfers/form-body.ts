import { EventEmitter } from 'node:events';
import type { Writable } from 'node:stream';
import FormData from 'form-data';

/** A piece of the file is valid until the one after the next is asked for: a source may read into two buffers in turns. */
export type Pieces = AsyncIterable<Uint8Array>;

/**
 * A form with one file, as the body of one request. axios takes it for a stream, since it can be piped, and leaves the writing to it.
 *
 * It writes each piece when the one before has gone to the system, and meanwhile asks for the next. A stream piped into the request
 * would need new memory for each piece, which then lives so long that the collector walks all of Node-RED's memory to be rid of it:
 * that took two thirds of the CPU time of an upload.
 */
export class FormBody extends EventEmitter {
  readonly headers: Record<string, string>;
  readonly #head: Buffer;
  readonly #tail: Buffer;
  readonly #pieces: Pieces;
  #stop: (error: Error) => void = () => {};
  #isStopped: boolean = false;

  /** `size`: what `pieces` give in all. */
  constructor(file: { filename: string; contentType: string; size: number }, pieces: Pieces) {
    super();
    const { filename, contentType, size } = file;
    // The form of an empty file: what stands before its bytes, and after them.
    const form = new FormData();
    form.append('file', Buffer.alloc(0), { filename, contentType });
    const frame = form.getBuffer();
    const headBytes = frame.indexOf('\r\n\r\n') + 4;
    this.#head = frame.subarray(0, headBytes);
    this.#tail = frame.subarray(headBytes);
    this.#pieces = pieces;
    this.headers = { ...form.getHeaders(), 'Content-Length': String(frame.length + size) };
  }

  /** Writes all of it and ends the request. Emits `error` when the pieces end in one, and then the request goes on no more. */
  pipe<T extends Writable>(request: T): T {
    this.#write(request).then(
      () => this.emit('end'),
      (error: unknown) => {
        // The request tells of its own end itself.
        if (!this.#isStopped && !request.destroyed) this.emit('error', error);
      },
    );
    return request;
  }

  /** Writes no more, and lets go of the pieces. */
  destroy(): void {
    this.#isStopped = true;
    this.#stop(new Error('no more is written'));
  }

  async #write(request: Writable): Promise<void> {
    let writing = this.#writePiece(request, this.#head);
    for await (const piece of this.#pieces) {
      await writing;
      writing = this.#writePiece(request, piece);
      // Held here, thrown where the next piece or the end waits for it.
      writing.catch(() => {});
    }
    await writing;
    request.end(this.#tail);
  }

  #writePiece(request: Writable, piece: Uint8Array): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#isStopped) return reject(new Error('no more is written'));
      // What waits on a connection that ends is not told so.
      this.#stop = reject;
      request.write(piece, (error) => (error ? reject(error) : resolve()));
    });
  }
}
