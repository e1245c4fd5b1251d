import { type FileHandle, open } from 'node:fs/promises';

// The format of the write-ahead log: https://www.sqlite.org/fileformat2.html#the_write_ahead_log.
const MAGIC_LITTLE_ENDIAN = 0x377f0682;
const MAGIC_BIG_ENDIAN = 0x377f0683;
const HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;
const FRAMES_PER_READ = 256;

/** Two running sums over pairs of 32-bit words. */
type Checksum = [number, number];

function addToChecksum(sum: Checksum, bytes: Buffer, start: number, end: number, isLittleEndian: boolean): void {
  let [first, second] = sum;
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  for (let offset = start; offset < end; offset += 8) {
    first = (first + view.getUint32(offset, isLittleEndian) + second) >>> 0;
    second = (second + view.getUint32(offset + 4, isLittleEndian) + first) >>> 0;
  }
  sum[0] = first;
  sum[1] = second;
}

function isChecksumAt(bytes: Buffer, offset: number, sum: Checksum): boolean {
  return bytes.readUInt32BE(offset) === sum[0] && bytes.readUInt32BE(offset + 4) === sum[1];
}

interface WalHeader {
  isLittleEndian: boolean;
  pageBytes: number;
  /** Copied into each frame. They change when the log restarts, so older frames that follow do not have them. */
  salts: Buffer;
  sum: Checksum;
}

function parseHeader(bytes: Buffer): WalHeader | undefined {
  const magic = bytes.readUInt32BE(0);
  if (magic !== MAGIC_LITTLE_ENDIAN && magic !== MAGIC_BIG_ENDIAN) return undefined;
  const isLittleEndian = magic === MAGIC_LITTLE_ENDIAN;
  const sum: Checksum = [0, 0];
  addToChecksum(sum, bytes, 0, 24, isLittleEndian);
  if (!isChecksumAt(bytes, 24, sum)) return undefined;
  return { isLittleEndian, pageBytes: bytes.readUInt32BE(8), salts: Buffer.from(bytes.subarray(16, 24)), sum };
}

/** Counts the commits from the first frame with a wrong checksum on. SQLite would drop them. */
async function countDroppedCommits(handle: FileHandle, header: WalHeader): Promise<number> {
  const { isLittleEndian, pageBytes, salts, sum } = header;
  const frameBytes = FRAME_HEADER_BYTES + pageBytes;
  const buffer = Buffer.alloc(frameBytes * FRAMES_PER_READ);
  let isIntact = true;
  let count = 0;
  for (let position = HEADER_BYTES; ; ) {
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, position);
    const end = bytesRead - (bytesRead % frameBytes);
    if (end === 0) return count;
    for (let frame = 0; frame < end; frame += frameBytes) {
      const hasSalts = buffer.subarray(frame + 8, frame + 16).equals(salts);
      if (isIntact) {
        addToChecksum(sum, buffer, frame, frame + 8, isLittleEndian);
        addToChecksum(sum, buffer, frame + FRAME_HEADER_BYTES, frame + frameBytes, isLittleEndian);
        isIntact = hasSalts && isChecksumAt(buffer, frame + 16, sum);
      }
      const isCommit = buffer.readUInt32BE(frame + 4) !== 0;
      if (!isIntact && hasSalts && isCommit) count += 1;
    }
    position += end;
  }
}

/**
 * Returns whether a write-ahead log lost commits to damage. SQLite drops everything after the first wrong checksum
 * without an error. A crash leaves at most one commit there, since each is synced before the next one is written: two or
 * more are damage. Must not be called while a connection is open.
 */
export async function isWalDamaged(file: string): Promise<boolean> {
  const handle = await open(file).catch(() => undefined); // no log: all commits are in the database
  if (!handle) return false;
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(HEADER_BYTES), 0, HEADER_BYTES, 0);
    if (bytesRead < HEADER_BYTES) return false;
    const header = parseHeader(buffer);
    if (header) return (await countDroppedCommits(handle, header)) > 1;
    return (await handle.stat()).size > HEADER_BYTES; // the header is synced before the first frame is written
  } finally {
    await handle.close();
  }
}
