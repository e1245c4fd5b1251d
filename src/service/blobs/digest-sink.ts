import type { ByteSink } from './blob-store.js';
import { Digester } from './digest.js';

/** Creates a sink that stores nothing: it only computes the digest of the bytes. */
export function createDigestSink(): ByteSink {
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
  };
}
