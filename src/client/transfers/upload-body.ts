import type { Chunks } from '../transport/request-body.js';
import type { OnSize } from './enforce-exact-size.js';

/** Filename, size and bytes of one upload. */
export interface UploadBody {
  filename: string;
  size: number;
  /**
   * Returns all chunks from the start, exactly `size` bytes. `onSize` receives the number of bytes requested so far.
   */
  open(onSize: OnSize): Chunks;
  /** Returns what identifies the current content. Missing if the content cannot change. */
  readVersion?(): Promise<string>;
  /** Returns whether `open` can be called. A stream of known length can be opened only once. */
  canOpen(): boolean;
  /** Closes and deletes the resources of this body. */
  dispose(): Promise<void>;
}
