import { Digester } from '../blobs/digest.js';
import type { FileWriter } from './file-writer.js';

/** Creates a writer that stores nothing: it only computes the digest of the bytes. */
export function createDigestWriter(): FileWriter {
  const digester = new Digester();
  let size = 0;
  return {
    get size() {
      return size;
    },
    write(bytes) {
      size += bytes.length;
      digester.update(bytes);
    },
    drained: async () => undefined,
    finish: async () => digester.finish(),
    close: async () => undefined,
  };
}
