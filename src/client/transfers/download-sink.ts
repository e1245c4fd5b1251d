import { ClientError } from '../client-error.js';
import { AttemptFailure } from '../transport/attempt-failure.js';
import type { OnSize } from './enforce-exact-size.js';

/** Where the bytes of a download are gathered until they are whole. */
export interface DownloadSink {
  /** How many bytes are there for sure: where a further try may go on. */
  readonly size: number;
  /** Appends what comes, and tells how many bytes are there after each piece. */
  append(bytes: AsyncIterable<unknown>, onSize: OnSize): Promise<void>;
  /** Forgets all bytes: the next try starts over. */
  restart(): Promise<void>;
}

/** Gathers a file in memory, at most `maxBytes`. */
export class BufferSink implements DownloadSink {
  readonly #maxBytes: number;
  #chunks: Buffer[] = [];
  size = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  async append(bytes: AsyncIterable<unknown>, onSize: OnSize): Promise<void> {
    for await (const piece of bytes) {
      const chunk = toBuffer(piece);
      this.size += chunk.length;
      if (this.size > this.#maxBytes) {
        const message = `The file is larger than the ${this.#maxBytes} bytes that may go to a Buffer: download it to a file.`;
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

  take(): Buffer {
    const data = Buffer.concat(this.#chunks);
    this.#chunks = [];
    return data;
  }
}

/** The bodies of replies give Buffers: no encoding is ever set on them. */
export function toBuffer(piece: unknown): Buffer {
  if (Buffer.isBuffer(piece)) return piece;
  throw new AttemptFailure('garbled', 'BAD_REPLY', 'the body gives no bytes');
}
