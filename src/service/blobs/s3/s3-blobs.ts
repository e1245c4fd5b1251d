import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { link, open } from 'node:fs/promises';
import type { Logger } from '../../logger.js';
import { BlobDamagedError } from '../blob-damage.js';
import { type BlobRecord, parseRecord, serializeRecord } from '../blob-record.js';
import type { BlobStore, OpenBlob, SpaceReserver } from '../blob-store.js';
import { Digester } from '../digest.js';
import type { BorrowedChunks } from '../read-double-buffered.js';
import type { Bucket } from './bucket.js';
import { createObjectKey, createRecordKey } from './object-keys.js';
import { objectLostError } from './object-lost-error.js';
import type { ObjectFile, ObjectRows } from './object-rows.js';
import { ObjectSink } from './object-sink.js';
import { createOpenObjects } from './open-objects.js';
import { readObject, readVerifiedObject } from './read-object.js';
import type { Download, ScratchFolder } from './scratch-folder.js';

/** The dependencies of `createS3Blobs`. */
export interface S3BlobsDependencies {
  bucket: Bucket;
  rows: ObjectRows;
  /** Of a worker. Without it there are no scratch files. */
  scratch?: ScratchFolder | undefined;
  logger: Pick<Logger, 'warn'>;
}

/** A blob store in a bucket. */
export interface S3Blobs extends BlobStore {
  /** Ends the timer and the idle connections. Nothing may be written then. */
  close(): void;
}

const READ_BYTES = 1024 * 1024;

/** Copies an object to a new file. Throws `BlobDamagedError` if its bytes are not the stored ones, or the abort reason. */
async function downloadObject(
  bucket: Bucket,
  { key, digest }: ObjectFile,
  file: string,
  signal: AbortSignal,
): Promise<void> {
  const digester = new Digester();
  const handle = await open(file, 'wx', 0o600);
  try {
    for await (const block of readVerifiedObject(bucket, key, 0, digest.size - 1, digest)) {
      signal.throwIfAborted();
      digester.update(block);
      await handle.writeFile(block);
    }
  } finally {
    await handle.close();
  }
  if (digester.finish().sha256 !== digest.sha256) throw new BlobDamagedError('The SHA-256 is not the stored one.');
}

/** Throws `BlobDamagedError` if an object is missing or has another size. */
async function assertStored(bucket: Bucket, { key, digest }: ObjectFile): Promise<void> {
  if (digest.size === 0) return;
  const last = await bucket.get(key, digest.size - 1, digest.size - 1);
  last?.stream.destroy();
  if (last?.totalBytes !== digest.size) throw new BlobDamagedError('The object is missing, or has another size.');
}

/**
 * Creates a blob store whose bytes are the objects `<ab>/<file id>/<upload or lease>` of a bucket, and whose records are the
 * objects `records/<file id>/<upload or lease>.json`. The bytes of an upload go straight to the bucket. A kernel process
 * reads and writes scratch files. Deleted objects are marked; `removeObjects` deletes them. Throws `STORAGE_UNAVAILABLE`
 * while the bucket does not answer.
 */
export function createS3Blobs({ bucket, rows, scratch, logger }: S3BlobsDependencies): S3Blobs {
  const openObjects = createOpenObjects(rows, logger);
  // Scratch file → the key of the object whose bytes it shares.
  const shared = new Map<string, string>();

  const requireScratch = (): ScratchFolder => {
    if (!scratch) throw new Error('This process has no scratch folder.');
    return scratch;
  };

  const findFile = async (id: string): Promise<ObjectFile> => {
    const file = await rows.findFile(id);
    if (!file) throw new BlobDamagedError(`The file ${id} has no object.`);
    return file;
  };

  /**
   * Throws if the object was given up. It may have been written after its deletion, by a process that was suspended for
   * an hour: another row then has it deleted again.
   */
  const assertOpen = async (key: string, owner: string): Promise<void> => {
    if (await rows.isOpen(key)) return;
    await rows.open(key, owner);
    throw objectLostError(key, 'open');
  };

  /**
   * Adds the row of an object for a file, by its reservation if there is one, runs `write`, and checks that nobody has given
   * the object up meanwhile.
   */
  const writeOpen = async (
    key: string,
    { owner, size }: BlobRecord,
    reserve: SpaceReserver | undefined,
    write: () => Promise<void>,
  ): Promise<void> => {
    if (reserve) await reserve(size, key);
    else if (!(await rows.open(key, owner))) throw objectLostError(key, 'open');
    openObjects.add(key, () => undefined);
    try {
      await write();
    } finally {
      openObjects.remove(key);
    }
    await assertOpen(key, owner);
  };

  const putRecord = (record: BlobRecord, key: string): Promise<void> =>
    bucket.put(createRecordKey(record.id, key), serializeRecord(record));

  const download = (file: ObjectFile, signal: AbortSignal | undefined): Promise<string> => {
    const write: Download = (target, unused) => downloadObject(bucket, file, target, unused);
    return requireScratch().acquire(file.key, file.digest.size, write, signal);
  };

  const openFile = async (id: string): Promise<OpenBlob> => {
    const { key, digest: stored } = await findFile(id);
    return {
      read: (start, end) => readObject(bucket, key, start, end, stored.size),
      readVerified: (start, end, digest, buffers) => readVerifiedObject(bucket, key, start, end, digest, buffers),
      close: async () => undefined, // each read has its own request
    };
  };

  async function* readOpened(id: string, read: (blob: OpenBlob) => BorrowedChunks): BorrowedChunks {
    yield* read(await openFile(id));
  }

  /** Adds a file that shares an object. The row of its record is that of an object, until the file is added. */
  const shareObject = async (record: BlobRecord, key: string, reserve?: SpaceReserver): Promise<void> => {
    const recordKey = createRecordKey(record.id, key);
    await writeOpen(recordKey, record, reserve, () => putRecord(record, key));
  };

  return {
    async write(id, reserve, owner = '') {
      const key = createObjectKey(id);
      if (!(await rows.open(key, owner))) throw objectLostError(key, 'open');
      const sink = new ObjectSink({
        reserve: (size) => reserve(size, key),
        upload: (stream) => bucket.upload(key, stream),
        async commit(record) {
          await putRecord(record, key);
          await assertOpen(key, owner);
          openObjects.remove(key);
          return key;
        },
        async discard() {
          openObjects.remove(key);
          const onError = (err: unknown): void => logger.warn({ err, key }, 'Could not discard an object: it expires');
          await rows.discard(key).catch(onError);
        },
      });
      openObjects.add(key, () => sink.fail(objectLostError(key, 'open')));
      return sink;
    },

    open: openFile,
    read: (id, start, end) => readOpened(id, (blob) => blob.read(start, end)),
    readVerified: (id, start, end, digest) => readOpened(id, (blob) => blob.readVerified(start, end, digest)),

    async readIdentity(id) {
      const file = await rows.findFile(id);
      return file && (await bucket.exists(file.key)) ? file.key : undefined;
    },

    remove: (ids) => rows.release(ids),

    async readRecord(id) {
      const file = await rows.findFile(id);
      const text = file && (await bucket.getText(createRecordKey(id, file.key)));
      const record = text === undefined ? undefined : parseRecord(text);
      return record?.id === id ? record : undefined;
    },

    async writeRecord(record) {
      const { key } = await findFile(record.id);
      await putRecord(record, key);
      const recordKey = createRecordKey(record.id, key);
      if (await rows.isRecordNeeded(record.id, recordKey)) return;
      await rows.open(recordKey, record.owner); // the file was deleted meanwhile, perhaps before this was written
      await rows.discard(recordKey);
    },

    scratchPath: () => requireScratch().createPath(),

    async toScratch(id, signal) {
      try {
        return await download(await findFile(id), signal);
      } catch (error) {
        if (!(error instanceof BlobDamagedError)) throw error;
        logger.warn({ err: error, fileId: id }, 'Could not copy an object for a job');
        return requireScratch().createPath(); // the kernel process reports that it is missing
      }
    },

    release: (file) => requireScratch().release(file),

    async fromScratch(file, record, lease = randomUUID(), reserve) {
      const sharedKey = shared.get(file);
      if (sharedKey !== undefined) {
        await shareObject(record, sharedKey, reserve);
        return sharedKey;
      }
      const key = createObjectKey(record.id, lease);
      await writeOpen(key, record, reserve, async () => {
        await bucket.upload(key, createReadStream(file, { highWaterMark: READ_BYTES }));
        await putRecord(record, key);
      });
      await requireScratch().keep(file, key, record.size);
      return key;
    },

    async share(id, file, signal) {
      const source = await rows.findFile(id);
      if (!source || !(await rows.isConfirmed(source.key))) return false;
      try {
        await assertStored(bucket, source); // a copy may outlive the object
        const copy = await download(source, signal);
        await link(copy, file).finally(() => requireScratch().release(copy));
      } catch (error) {
        if (!(error instanceof BlobDamagedError)) throw error; // else the file is missing, as the blob is
      }
      shared.set(file, source.key);
      return true;
    },

    async discard(file) {
      shared.delete(file);
      await requireScratch().discard(file);
    },

    close() {
      openObjects.close();
      bucket.close();
    },
  };
}
