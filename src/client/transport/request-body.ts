import { EventEmitter } from 'node:events';
import type { Writable } from 'node:stream';

/** A chunk is valid until the chunk after next is requested: a source may read into two alternating buffers. */
export type Chunks = AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

/**
 * The body of one request, written chunk by chunk. axios takes it for a stream, since it can be piped, and leaves the writing to it.
 *
 * It writes each chunk when the one before has gone to the system, and meanwhile requests the next. A stream piped into the request
 * would need new memory for each chunk, which then lives so long that the garbage collector walks all of Node-RED's memory to free it:
 * that took two thirds of the CPU time of an upload.
 *
 * Emits `end` after the last byte, and `error` when the chunks end in one: then the request does not go on.
 */
export class RequestBody extends EventEmitter {
  readonly #chunks: Chunks;
  #opening: Promise<void> = Promise.resolve();
  #stop: (error: Error) => void = () => {};
  #isStopped: boolean = false;
  #hasWriteError: boolean = false;

  constructor(chunks: Chunks) {
    super();
    this.#chunks = chunks;
  }

  /** Writes nothing before `opening` resolves. It must not reject. */
  holdUntil(opening: Promise<void>): void {
    this.#opening = opening;
  }

  /** Writes all of it and ends the request. */
  pipe<T extends Writable>(request: T): T {
    this.#write(request).then(
      () => this.emit('end'),
      (error: unknown) => {
        // The request reports its own end itself, also where a write fails some time before that.
        if (!this.#isStopped && !this.#hasWriteError && !request.destroyed) this.emit('error', error);
      },
    );
    return request;
  }

  /** Writes no more, and releases the chunks. */
  destroy(): void {
    this.#isStopped = true;
    this.#stop(stoppedError());
  }

  async #write(request: Writable): Promise<void> {
    let writing = this.#step((resolve, reject) => {
      this.#opening.then(resolve, reject);
    });
    for await (const chunk of this.#chunks) {
      await writing;
      writing = this.#step((resolve, reject) => {
        request.write(chunk, (error) => {
          this.#hasWriteError ||= Boolean(error);
          if (error) reject(error);
          else resolve();
        });
      });
    }
    await writing;
    request.end();
  }

  /** Settles as `begin` says, or rejects once the body is destroyed: a connection that ends does not call back for pending writes. */
  #step(begin: (resolve: () => void, reject: (error: Error) => void) => void): Promise<void> {
    const step = new Promise<void>((resolve, reject) => {
      if (this.#isStopped) return reject(stoppedError());
      this.#stop = reject;
      begin(resolve, reject);
    });
    // It is awaited once the next chunk is there; rejected before that, it must not count as unhandled.
    step.catch(() => {});
    return step;
  }
}

function stoppedError(): Error {
  return new Error('The request body was destroyed.');
}
