import { EventEmitter } from 'node:events';
import type { Writable } from 'node:stream';

/** The chunks of a body. Each is valid until the chunk after next is requested: a source may alternate two buffers. */
export type Chunks = AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

/**
 * The body of one request, written chunk by chunk. axios treats it as a stream because it has `pipe`, and leaves the
 * writing to it.
 *
 * A chunk is written when the operating system has accepted the previous one; the next chunk is read meanwhile. This
 * allows sources to reuse two buffers. Rejected: piping a stream into the request. It allocates memory for each chunk,
 * which survives long enough to be freed only by full garbage collections of Node-RED: two thirds of the CPU time of an
 * upload.
 *
 * Emits `end` after the last byte. Emits `error` if the source throws; the request is then not ended.
 */
export class RequestBody extends EventEmitter {
  readonly #chunks: Chunks;
  #ready: Promise<void> = Promise.resolve();
  #stop: (error: Error) => void = () => {};
  #isStopped: boolean = false;
  #hasWriteError: boolean = false;

  constructor(chunks: Chunks) {
    super();
    this.#chunks = chunks;
  }

  /** Delays the first write until `ready` resolves. `ready` must not reject. */
  delayUntil(ready: Promise<void>): void {
    this.#ready = ready;
  }

  /** Writes the whole body and ends the request. */
  pipe<T extends Writable>(request: T): T {
    this.#write(request).then(
      () => this.emit('end'),
      (error: unknown) => {
        // The request reports write errors itself, some of them after the write has failed.
        if (!this.#isStopped && !this.#hasWriteError && !request.destroyed) this.emit('error', error);
      },
    );
    return request;
  }

  /** Stops writing and releases the source. */
  destroy(): void {
    this.#isStopped = true;
    this.#stop(stoppedError());
  }

  async #write(request: Writable): Promise<void> {
    let writing = this.#createStep((resolve, reject) => {
      this.#ready.then(resolve, reject);
    });
    for await (const chunk of this.#chunks) {
      await writing;
      writing = this.#createStep((resolve, reject) => {
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

  /**
   * Returns a promise that `begin` settles, and that rejects when the body is destroyed: a closed connection does not
   * call the callbacks of pending writes.
   */
  #createStep(begin: (resolve: () => void, reject: (error: Error) => void) => void): Promise<void> {
    const step = new Promise<void>((resolve, reject) => {
      if (this.#isStopped) return reject(stoppedError());
      this.#stop = reject;
      begin(resolve, reject);
    });
    // Awaited only after the next chunk was read. An earlier rejection must not count as unhandled.
    step.catch(() => {});
    return step;
  }
}

function stoppedError(): Error {
  return new Error('The request body was destroyed.');
}
