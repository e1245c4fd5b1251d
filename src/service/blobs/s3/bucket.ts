import { Readable } from 'node:stream';
import {
  AbortMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  ListMultipartUploadsCommand,
  type ListMultipartUploadsCommandInput,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import type { Logger } from '../../logger.js';
import { describeBucketError, isObjectMissing, isRangeInvalid, storageUnavailableError } from './bucket-error.js';
import { type BucketLimits, type BucketOptions, DEFAULT_BUCKET_LIMITS } from './bucket-options.js';

const PART_BYTES = 8 * 1024 * 1024;
// With the part that fills, three parts of each upload are in memory.
const CONCURRENT_PARTS = 2;

/** An object, or a range of it. */
export interface ObjectBody {
  /** To be read to its end or destroyed: it holds a connection. It fails if the connection is cut. */
  stream: Readable;
  /** The size of the whole object. */
  totalBytes: number;
}

/** Which objects are listed, and in how large pages. */
export interface ListOptions {
  start?: string;
  pageSize?: number;
}

/** An object in a list. */
export interface ListedObject {
  key: string;
  size: number;
  /** When it was written, by the clock of the bucket, in ms since 1970. */
  modifiedAt: number;
}

/** An unfinished upload in a list. */
export interface ListedUpload {
  key: string;
  /** By the clock of the bucket, in ms since 1970. */
  startedAt: number;
}

/**
 * The objects of a bucket by their keys, without the prefix. Every function throws `STORAGE_UNAVAILABLE` if the bucket
 * could not be reached, refused the request, or failed, and the abort reason of its signal.
 */
export interface Bucket {
  put(key: string, bytes: Buffer | string): Promise<void>;
  /**
   * Stores a stream: in one request if it is small, else as a multipart upload, which is aborted after an error. The
   * stream is destroyed then. If the stream fails, so does this, with its error.
   */
  upload(key: string, stream: Readable): Promise<void>;
  /** Reads an object from `start` to `end`, both inclusive. Resolves with `undefined` if it does not exist or is shorter. */
  get(key: string, start: number, end: number): Promise<ObjectBody | undefined>;
  /** Reads a small object. Resolves with `undefined` if it does not exist. */
  getText(key: string): Promise<string | undefined>;
  exists(key: string): Promise<boolean>;
  /**
   * Lists the objects whose keys begin with `start`, by default all, in pages of up to `pageSize`, 1000 by default. Only a
   * recovery and a check of all files list all.
   */
  list(options?: ListOptions): AsyncGenerator<ListedObject[], void, undefined>;
  /** Deletes an object, if it exists. */
  remove(key: string): Promise<void>;
  /** Lists the unfinished uploads, in pages of up to `pageSize`, 1000 by default. */
  listUploads(pageSize?: number): AsyncGenerator<ListedUpload[], void, undefined>;
  /** Aborts the unfinished uploads of an object. */
  abortUploads(key: string): Promise<void>;
  /** Ends the idle connections. */
  close(): void;
}

/** The dependencies of a bucket. */
export interface BucketDependencies {
  logger: Pick<Logger, 'warn'>;
  /** Called for each request that failed after all attempts. */
  onFailure?: (() => void) | undefined;
  /** Default: `DEFAULT_BUCKET_LIMITS`. */
  limits?: BucketLimits | undefined;
}

/** Returns a key of a list, where it is encoded like a query: XML cannot contain every character. */
function decodeKey(key: string): string {
  try {
    return decodeURIComponent(key.replaceAll('+', ' '));
  } catch {
    return key; // the server has not encoded it
  }
}

function createClient({ endpoint, region, forcePathStyle }: BucketOptions, limits: BucketLimits): S3Client {
  // The version is pinned, and runs on every supported Node.
  process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED ??= 'true';
  return new S3Client({
    ...(endpoint !== undefined && { endpoint }),
    // Without an endpoint it is AWS, whose region the standard chain finds.
    ...((region ?? endpoint) !== undefined && { region: region ?? process.env.AWS_REGION ?? 'us-east-1' }),
    forcePathStyle: forcePathStyle ?? false,
    maxAttempts: limits.maxAttempts,
    responseChecksumValidation: 'WHEN_REQUIRED', // every block is checked by its own CRC-32
    requestHandler: {
      connectionTimeout: limits.connectMs,
      requestTimeout: limits.responseMs,
      throwOnRequestTimeout: true,
      socketTimeout: limits.idleMs,
    },
  });
}

/** Opens a bucket. Sends no request. */
export function openBucket(options: BucketOptions, { logger, onFailure, limits }: BucketDependencies): Bucket {
  const client = createClient(options, limits ?? DEFAULT_BUCKET_LIMITS);
  const { bucket, prefix = '', serverSideEncryption } = options;
  const addressOf = (key: string) => ({ Bucket: bucket, Key: `${prefix}${key}` });
  const encryption = serverSideEncryption ? { ServerSideEncryption: serverSideEncryption } : {};

  /** Runs requests. Logs what failed without its secrets. */
  const request = async <T>(action: string, key: string, send: () => Promise<T>): Promise<T> => {
    try {
      return await send();
    } catch (error) {
      if (isObjectMissing(error) || isRangeInvalid(error)) throw error;
      logger.warn({ action, key, reason: describeBucketError(error) }, 'A request to the object storage failed');
      onFailure?.();
      throw storageUnavailableError(error);
    }
  };

  const get = async (key: string, range?: string): Promise<ObjectBody> => {
    const command = new GetObjectCommand({ ...addressOf(key), ...(range !== undefined && { Range: range }) });
    const { Body, ContentLength = 0, ContentRange } = await request('get', key, () => client.send(command));
    if (!(Body instanceof Readable)) throw new Error('The response to a GetObject request has no stream.');
    const total = /\/(\d+)$/.exec(ContentRange ?? '')?.[1];
    return { stream: Body, totalBytes: total === undefined ? ContentLength : Number(total) };
  };

  return {
    async put(key, bytes) {
      await request('put', key, () =>
        client.send(new PutObjectCommand({ ...addressOf(key), Body: bytes, ...encryption })),
      );
    },

    async upload(key, stream) {
      const params = { ...addressOf(key), Body: stream, ...encryption };
      const upload = new Upload({ client, params, partSize: PART_BYTES, queueSize: CONCURRENT_PARTS });
      try {
        await request('upload', key, () =>
          upload.done().catch((error: unknown) => {
            if (error !== stream.errored) throw error; // else the bucket has not failed
          }),
        );
      } finally {
        stream.destroy();
      }
      if (stream.errored) throw stream.errored;
    },

    async get(key, start, end) {
      try {
        return await get(key, `bytes=${start}-${end}`);
      } catch (error) {
        if (isObjectMissing(error) || isRangeInvalid(error)) return undefined;
        throw error;
      }
    },

    async getText(key) {
      try {
        const { stream } = await get(key);
        return await request('get', key, async () => Buffer.concat(await stream.toArray()).toString());
      } catch (error) {
        if (isObjectMissing(error)) return undefined;
        throw error;
      }
    },

    async exists(key) {
      try {
        const { stream } = await get(key, 'bytes=0-0'); // a HEAD request does not tell a missing object from a missing bucket
        stream.destroy();
        return true;
      } catch (error) {
        if (isObjectMissing(error)) return false;
        if (isRangeInvalid(error)) return true; // it is empty
        throw error;
      }
    },

    async *list({ start = '', pageSize = 1000 } = {}) {
      const common = { Bucket: bucket, Prefix: `${prefix}${start}`, EncodingType: 'url', MaxKeys: pageSize } as const;
      let ContinuationToken: string | undefined;
      do {
        const position = ContinuationToken === undefined ? {} : { ContinuationToken };
        const list = new ListObjectsV2Command({ ...common, ...position });
        const page = await request('list', start, () => client.send(list));
        yield (page.Contents ?? []).map(({ Key = '', Size = 0, LastModified }) => ({
          key: decodeKey(Key).slice(prefix.length),
          size: Size,
          modifiedAt: LastModified?.getTime() ?? 0,
        }));
        ContinuationToken = page.IsTruncated ? page.NextContinuationToken : undefined;
      } while (ContinuationToken !== undefined);
    },

    async remove(key) {
      await request('delete', key, () => client.send(new DeleteObjectCommand(addressOf(key))));
    },

    async *listUploads(pageSize = 1000) {
      const common = { Bucket: bucket, Prefix: prefix, EncodingType: 'url', MaxUploads: pageSize } as const;
      let position: Pick<ListMultipartUploadsCommandInput, 'KeyMarker' | 'UploadIdMarker'> = {};
      for (let isLast = false; !isLast; ) {
        const list = new ListMultipartUploadsCommand({ ...common, ...position });
        const page = await request('list uploads', '', () => client.send(list));
        yield (page.Uploads ?? []).map(({ Key = '', Initiated }) => ({
          key: decodeKey(Key).slice(prefix.length),
          startedAt: Initiated?.getTime() ?? Number.POSITIVE_INFINITY,
        }));
        position = { KeyMarker: page.NextKeyMarker, UploadIdMarker: page.NextUploadIdMarker };
        isLast = page.IsTruncated !== true;
      }
    },

    abortUploads: (key) =>
      request('abort', key, async () => {
        const address = addressOf(key);
        const list = new ListMultipartUploadsCommand({ Bucket: bucket, Prefix: address.Key });
        for (const { Key, UploadId } of (await client.send(list)).Uploads ?? []) {
          if (Key === address.Key) await client.send(new AbortMultipartUploadCommand({ ...address, UploadId }));
        }
      }),

    close: () => client.destroy(),
  };
}
