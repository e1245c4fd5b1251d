import { randomUUID } from 'node:crypto';
import should from 'should';
import { parseRecord, serializeRecord } from '../../../src/service/blobs/blob-record.js';
import { recordOf } from '../support/records.js';

const RECORD = recordOf(randomUUID(), 'bytes', { filename: 'Zahnrad "groß"\n</script>\u{1F527}\ud800.stl' });

describe('the record of a blob', () => {
  it('is one line, and the same after reading', () => {
    const text = serializeRecord(RECORD);
    should(text.trimEnd().split('\n')).have.length(1);
    should(parseRecord(text)).deepEqual(RECORD);
  });

  it('is the same after reading with the key of its upload', () => {
    const record = { ...RECORD, request: { key: '"a\\', fingerprint: 'f' } };
    should(parseRecord(serializeRecord(record))).deepEqual(record);
  });

  it('is rejected with any bit changed, or cut off anywhere', () => {
    const bytes = Buffer.from(serializeRecord(RECORD));
    for (let index = 0; index < bytes.length; index++) {
      for (let bit = 1; bit < 256; bit *= 2) {
        const changed = Buffer.from(bytes);
        changed[index] = (changed[index] ?? 0) ^ bit;
        should(parseRecord(changed.toString('utf8'))).equal(undefined, `byte ${index}, bit ${bit}`);
      }
      should(parseRecord(bytes.toString('utf8', 0, index))).equal(undefined, `the first ${index} bytes`);
    }
  });

  it('is rejected when its checksum is right and a field is not', () => {
    for (const wrong of [
      { owner: 1 },
      { kind: 'folder' },
      { size: '5' },
      { operationId: 3 },
      { sha256: undefined },
      { request: {} },
    ]) {
      should(parseRecord(serializeRecord({ ...RECORD, ...(wrong as object) }))).equal(undefined);
    }
  });
});
