import type { Writable } from 'node:stream';
import { ClientError } from '../client-error.js';
import { AttemptFailure } from '../transport/attempt-failure.js';
import type { OnSize } from './enforce-exact-size.js';

/** Collects the bytes of a download until the file is complete. */
export interface DownloadSink {
  /** The number of bytes that are stored: the offset at which another attempt can continue. */
  readonly size: number;
  /** Appends chunks, and calls `onSize` with the total number of bytes after each. */
  append(bytes: AsyncIterable<unknown>, onSize: OnSize): Promise<void>;
  /** Discards all bytes, so that the next attempt starts over. */
  restart(): Promise<void>;
}

/** Collects a file in memory. Throws `INPUT_INVALID` if it exceeds `maxBytes`. */
export class BufferSink implements DownloadSink {
  readonly #maxBytes: number;
  #chunks: Buffer[] = [];
  size = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  async append(bytes: AsyncIterable<unknown>, onSize: OnSize): Promise<void> {
    for await (const value of bytes) {
      const chunk = toBuffer(value);
      this.size += chunk.length;
      if (this.size > this.#maxBytes) {
        const message = `File too large for a Buffer: the limit is ${this.#maxBytes} bytes. Download it to a file.`;
        throw new ClientError('INPUT_INVALID', message);
      }
      this.#chunks.push(chunk);
      onSize(this.size);
    }
  }

  restart(): Promise<void> {
    this.#chunks = [];
    this.size = 0;
    return Promise.resolve();
  }

  /** Returns the file and releases the chunks. */
  take(): Buffer {
    const data = Buffer.concat(this.#chunks);
    this.#chunks = [];
    return data;
  }
}

/** Passes a file on to a stream. What was written cannot be taken back: `restart` then throws `CONNECTION_FAILED`. */
export class StreamSink implements DownloadSink {
  readonly #stream: Writable;
  size = 0;

  constructor(stream: Writable) {
    this.#stream = stream;
  }

  async append(bytes: AsyncIterable<unknown>, onSize: OnSize): Promise<void> {
    for await (const value of bytes) {
      const chunk = toBuffer(value);
      this.size += chunk.length;
      if (!this.#stream.write(chunk)) await this.#drain();
      if (this.#stream.destroyed)
        throw new AttemptFailure('final', 'CONNECTION_FAILED', 'the stream that receives the file was closed');
      onSize(this.size);
    }
  }

  restart(): Promise<void> {
    if (this.size === 0) return Promise.resolve();
    const reason = 'the download ended early, and a stream cannot receive it again';
    return Promise.reject(new AttemptFailure('final', 'CONNECTION_FAILED', reason));
  }

  /** Resolves when the stream takes more bytes, or has closed. */
  #drain(): Promise<void> {
    const stream = this.#stream;
    if (stream.destroyed) return Promise.resolve();
    return new Promise((resolve) => {
      const end = () => {
        stream.off('drain', end).off('close', end);
        resolve();
      };
      stream.on('drain', end).on('close', end);
    });
  }
}

/** Returns a chunk of a reply's body as a Buffer. Every chunk is one, since no encoding is set on the body. */
export function toBuffer(chunk: unknown): Buffer {
  if (Buffer.isBuffer(chunk)) return chunk;
  throw new AttemptFailure('garbled', 'BAD_REPLY', 'the body does not consist of bytes');
}
