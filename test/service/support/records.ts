import type { BlobRecord } from '../../../src/service/blobs/blob-record.js';
import { Digester } from '../../../src/service/blobs/digest.js';

/** Returns the record of an uploaded file with these bytes. */
export function recordOf(id: string, bytes: Uint8Array | string, more: Partial<BlobRecord> = {}): BlobRecord {
  const digester = new Digester();
  digester.update(Buffer.from(bytes));
  const names = { owner: 'me', kind: 'file', filename: 'a.stl', mediaType: 'model/stl' } as const;
  return { id, ...names, createdAt: 1, operationId: null, ...digester.finish(), ...more };
}
