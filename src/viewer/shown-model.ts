import type { Preview } from './preview/read-preview.js';

/** A model whose preview was read. */
export interface ShownModel {
  preview: Preview;
  /** Yields URLs, for browsers without WebGL 2. Does not reject. */
  readPictures: () => AsyncGenerator<string>;
}
