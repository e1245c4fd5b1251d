import should from 'should';
import { ZipArchive } from '../../../../src/mesh/formats/zip/zip-reader.js';
import { serializeZip } from '../../../../src/mesh/formats/zip/zip-writer.js';
import { meshErrorOf } from '../mesh-error-of.js';
import { wideZip, zipOf } from './zip-bytes.js';

const CONTENT = Buffer.from('0123456789'.repeat(50));
const pack = () => zipOf({ 'a.txt': CONTENT, 'folder/Ä.txt': Buffer.alloc(0) });
const directoryOf = (bytes: Buffer) => bytes.indexOf(Buffer.from('PK\u0001\u0002', 'latin1'));
const altered = (alter: (bytes: Buffer, directory: number) => void): Buffer => {
  const bytes = pack();
  alter(bytes, directoryOf(bytes));
  return bytes;
};

describe('the reader of ZIP', () => {
  it('reads what the writer wrote, by name, without regard to case and a leading slash', () => {
    const archive = new ZipArchive(pack());
    archive.names.should.deepEqual(['a.txt', 'folder/Ä.txt']);
    should(archive.read('/A.TXT')).deepEqual(CONTENT);
    should(archive.read('folder/ä.txt')?.length).equal(0);
    should(archive.read('b.txt')).be.undefined();
  });

  it('reads a part that is not packed', () => {
    const bytes = wideZip('a.txt', CONTENT, 0);
    should(new ZipArchive(bytes).read('a.txt')).deepEqual(CONTENT);
  });

  it('reads 64-bit sizes and places', () => {
    should(new ZipArchive(wideZip('a.txt', CONTENT)).read('a.txt')).deepEqual(CONTENT);
  });

  it('reads one with a comment behind it', () => {
    const bytes = pack();
    bytes.writeUInt16LE(5, bytes.length - 2);
    should(new ZipArchive(Buffer.concat([bytes, Buffer.from('hello')])).read('a.txt')).deepEqual(CONTENT);
  });

  it('refuses a part whose length is not what the directory says, without unpacking more', () => {
    for (const length of [499, 501, 0, 2 ** 31, 2 ** 32 - 2]) {
      const bytes = altered((bytes, directory) => bytes.writeUInt32LE(length, directory + 24));
      meshErrorOf(() => new ZipArchive(bytes).read('a.txt')).code.should.match(/FILE_MALFORMED|TOO_LARGE/);
    }
  });

  it('refuses a part that is encrypted, damaged, packed in another way, or behind the end', () => {
    const DAMAGES: Record<string, (bytes: Buffer, directory: number) => void> = {
      encrypted: (bytes, offset) => bytes.writeUInt16LE(1, offset + 8),
      checksum: (bytes, offset) => bytes.writeUInt32LE(7, offset + 16),
      'method 12': (bytes, offset) => bytes.writeUInt16LE(12, offset + 10),
      'behind its end': (bytes, offset) => bytes.writeUInt32LE(4_000_000_000, offset + 42),
      'cannot be unpacked': (bytes) => bytes.fill(0xff, 35, 45),
    };
    for (const [part, damage] of Object.entries(DAMAGES)) {
      const error = meshErrorOf(() => new ZipArchive(altered(damage)).read('a.txt'));
      error.code.should.equal('FILE_MALFORMED');
      error.message.should.containEql(part);
    }
  });

  it('refuses what has no directory, or one that does not fit', () => {
    const bytes = pack();
    const cut = [bytes.subarray(0, 60), bytes.subarray(bytes.length - 30), Buffer.from('PK'), Buffer.alloc(100)];
    const lied = altered((bytes) => bytes.writeUInt32LE(4_000_000_000, bytes.length - 6));
    const many = altered((bytes) => bytes.writeUInt16LE(60_000, bytes.length - 12));
    for (const bad of [...cut, lied, many]) {
      meshErrorOf(() => new ZipArchive(bad).read('a.txt')).code.should.equal('FILE_MALFORMED');
    }
  });
});

describe('the writer of ZIP', () => {
  it('packs in pieces what comes in chunks, into the same bytes each time', () => {
    const chunk = Buffer.from(Array.from({ length: 70_000 }, (_, i) => (i * i) % 251));
    const chunks = Array.from({ length: 40 }, () => chunk);
    const write = () => Buffer.concat([...serializeZip([{ name: 'large', chunks }])]);
    Buffer.concat(chunks)
      .equals(new ZipArchive(write()).read('large') ?? Buffer.alloc(0))
      .should.be.true();
    write().equals(write()).should.be.true();
  });
});
