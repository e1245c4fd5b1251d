import should from 'should';
import { ZipArchive } from '../../../../src/mesh/formats/zip/zip-reader.js';
import { serializeZip } from '../../../../src/mesh/formats/zip/zip-writer.js';
import { meshErrorOf } from '../mesh-error-of.js';
import { createZip, createZip64 } from './zip-bytes.js';

const CONTENT = Buffer.from('0123456789'.repeat(50));
function createArchive() {
  return createZip({ 'a.txt': CONTENT, 'folder/Ä.txt': Buffer.alloc(0) });
}
function findDirectory(bytes: Buffer) {
  return bytes.indexOf(Buffer.from('PK\u0001\u0002', 'latin1'));
}
function alterArchive(alter: (bytes: Buffer, directory: number) => void): Buffer {
  const bytes = createArchive();
  alter(bytes, findDirectory(bytes));
  return bytes;
}

describe('ZipArchive', () => {
  it('reads entries by name, ignoring case and a leading slash', () => {
    const archive = new ZipArchive(createArchive());
    archive.names.should.deepEqual(['a.txt', 'folder/Ä.txt']);
    should(archive.read('/A.TXT')).deepEqual(CONTENT);
    should(archive.read('folder/ä.txt')?.length).equal(0);
    should(archive.read('b.txt')).be.undefined();
  });

  it('reads a stored entry', () => {
    const bytes = createZip64('a.txt', CONTENT, 0);
    should(new ZipArchive(bytes).read('a.txt')).deepEqual(CONTENT);
  });

  it('reads 64-bit sizes and offsets', () => {
    should(new ZipArchive(createZip64('a.txt', CONTENT)).read('a.txt')).deepEqual(CONTENT);
  });

  it('reads an archive with a trailing comment', () => {
    const bytes = createArchive();
    bytes.writeUInt16LE(5, bytes.length - 2);
    should(new ZipArchive(Buffer.concat([bytes, Buffer.from('hello')])).read('a.txt')).deepEqual(CONTENT);
  });

  it('throws for an entry whose size differs from the directory, without decompressing more', () => {
    for (const length of [499, 501, 0, 2 ** 31, 2 ** 32 - 2]) {
      const bytes = alterArchive((bytes, directory) => bytes.writeUInt32LE(length, directory + 24));
      meshErrorOf(() => new ZipArchive(bytes).read('a.txt')).code.should.match(/FILE_MALFORMED|TOO_LARGE/);
    }
  });

  it('throws FILE_ENCRYPTED for an encrypted entry', () => {
    const archive = new ZipArchive(alterArchive((bytes, offset) => bytes.writeUInt16LE(1, offset + 8)));
    meshErrorOf(() => archive.read('a.txt')).code.should.equal('FILE_ENCRYPTED');
  });

  it('throws FILE_MALFORMED for a damaged, unsupported or misplaced entry', () => {
    const DAMAGES: Record<string, (bytes: Buffer, directory: number) => void> = {
      checksum: (bytes, offset) => bytes.writeUInt32LE(7, offset + 16),
      'method 12': (bytes, offset) => bytes.writeUInt16LE(12, offset + 10),
      'outside of the file': (bytes, offset) => bytes.writeUInt32LE(4_000_000_000, offset + 42),
      'could not decompress': (bytes) => bytes.fill(0xff, 35, 45),
    };
    for (const [part, damage] of Object.entries(DAMAGES)) {
      const error = meshErrorOf(() => new ZipArchive(alterArchive(damage)).read('a.txt'));
      error.code.should.equal('FILE_MALFORMED');
      error.message.should.containEql(part);
    }
  });

  it('throws FILE_MALFORMED for a missing or invalid directory', () => {
    const bytes = createArchive();
    const truncated = [bytes.subarray(0, 60), bytes.subarray(bytes.length - 30), Buffer.from('PK'), Buffer.alloc(100)];
    const wrongOffset = alterArchive((bytes) => bytes.writeUInt32LE(4_000_000_000, bytes.length - 6));
    const wrongCount = alterArchive((bytes) => bytes.writeUInt16LE(60_000, bytes.length - 12));
    for (const invalid of [...truncated, wrongOffset, wrongCount]) {
      meshErrorOf(() => new ZipArchive(invalid).read('a.txt')).code.should.equal('FILE_MALFORMED');
    }
  });
});

describe('serializeZip', () => {
  it('keeps the checksum of an entry that ends with a whole block', () => {
    const content = Buffer.alloc(2 ** 20, 'abc');
    new ZipArchive(createZip({ block: content })).read('block')?.should.deepEqual(content);
    new ZipArchive(createZip({ empty: '' })).read('empty')?.length.should.equal(0);
  });

  it('compresses chunked input, with equal bytes each time', () => {
    const chunk = Buffer.from(Array.from({ length: 70_000 }, (_, i) => (i * i) % 251));
    const chunks = Array.from({ length: 40 }, () => chunk);
    const write = () => Buffer.concat([...serializeZip([{ name: 'large', chunks }])]);
    Buffer.concat(chunks)
      .equals(new ZipArchive(write()).read('large') ?? Buffer.alloc(0))
      .should.be.true();
    write().equals(write()).should.be.true();
  });
});
