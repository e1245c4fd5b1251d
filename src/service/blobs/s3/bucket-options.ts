/** Where the objects of a service are stored. Credentials come from the standard chain of the AWS SDK. */
export interface BucketOptions {
  bucket: string;
  /** The URL of an S3-compatible server. Default: that of AWS in this region. */
  endpoint?: string | undefined;
  /** Default: that of the standard chain, else `us-east-1`, which other servers than AWS ignore. */
  region?: string | undefined;
  /** Precedes all keys, as in `service/`. Default: empty. */
  prefix?: string | undefined;
  /** Whether the bucket is in the path of the URL instead of the host name. Default: false. */
  forcePathStyle?: boolean | undefined;
  /** Server-side encryption, `AES256` or `aws:kms`. Default: that of the bucket. */
  serverSideEncryption?: 'AES256' | 'aws:kms' | undefined;
}

/** When a request to the bucket is given up. Times are in ms. */
export interface BucketLimits {
  /** Of one request, including the first after a failure. */
  maxAttempts: number;
  connectMs: number;
  /** From the start of a request to the headers of its response: a part of 8 MiB in 60 s needs 140 KiB/s. */
  responseMs: number;
  /** Without a byte in either direction. */
  idleMs: number;
}

export const DEFAULT_BUCKET_LIMITS: BucketLimits = {
  maxAttempts: 4,
  connectMs: 5_000,
  responseMs: 60_000,
  idleMs: 30_000,
};
