import { PassThrough } from 'node:stream';
import type { BlobRecord } from '../blob-record.js';
import type { BlobSink, SpaceReserver } from '../blob-store.js';
import { type BlobDigest, Digester } from '../digest.js';

// Received while the parts before are sent, and before space is reserved again.
const BUFFERED_BYTES = 1024 * 1024;
// In object mode the stream passes chunks on as they are, instead of joining them: the parts are joined anyway.
const STREAM_OPTIONS = { writableHighWaterMark: BUFFERED_BYTES, readableObjectMode: true };

/** What an `ObjectSink` does with its bytes. */
export interface ObjectSinkDependencies {
  reserve: SpaceReserver;
  /** Stores the stream; as `Bucket.upload`. */
  upload: (stream: PassThrough) => Promise<void>;
  /** Stores the record of the uploaded object. Resolves with the key of the object. */
  commit: (record: BlobRecord) => Promise<string>;
  /** Marks the object to be deleted, unless its file was added. */
  discard: () => Promise<void>;
}

/** Sends the bytes of a new blob to the bucket while they arrive. */
export class ObjectSink implements BlobSink {
  size = 0;
  readonly #dependencies: ObjectSinkDependencies;
  readonly #digester = new Digester();
  readonly #stream = new PassThrough(STREAM_OPTIONS);
  readonly #upload: Promise<void>;
  #reservedSize = 0;
  #failure: { error: unknown } | undefined;
  #continue = (): void => undefined;

  constructor(dependencies: ObjectSinkDependencies) {
    this.#dependencies = dependencies;
    this.#stream.on('drain', () => this.#continue());
    this.#stream.on('error', () => undefined); // the upload fails with it
    this.#upload = dependencies.upload(this.#stream);
    this.#upload.catch((error: unknown) => {
      this.#failure = { error };
      this.#continue();
    });
  }

  write(bytes: Buffer): void {
    this.size += bytes.length;
    this.#digester.update(bytes);
    if (!this.#stream.destroyed) this.#stream.write(bytes); // `drained` throws the error
  }

  async drained(): Promise<void> {
    this.#throwFailure();
    if (this.size - this.#reservedSize >= BUFFERED_BYTES) {
      await this.#dependencies.reserve(this.size);
      this.#reservedSize = this.size;
    }
    if (this.#stream.writableNeedDrain && !this.#failure) {
      await new Promise<void>((resolve) => {
        this.#continue = resolve;
      });
    }
    this.#throwFailure();
  }

  async finish(): Promise<BlobDigest> {
    await this.#dependencies.reserve(this.size);
    this.#stream.end();
    await this.#upload;
    return this.#digester.finish();
  }

  async commit(record: BlobRecord): Promise<string> {
    return this.#dependencies.commit(record);
  }

  async abort(): Promise<void> {
    this.fail(new Error('The upload was aborted.'));
    await this.#upload.catch(() => undefined); // it has aborted the multipart upload, or nobody will read the object
    await this.#dependencies.discard();
  }

  /** Ends the upload with this error, unless it has ended. */
  fail(error: Error): void {
    this.#stream.destroy(error);
  }

  #throwFailure(): void {
    if (this.#failure) throw this.#failure.error;
  }
}
