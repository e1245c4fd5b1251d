/** The options that say where the bucket is, in `--help` texts. */
export const BUCKET_USAGE = `  --s3-bucket NAME    bucket of the files. Credentials come from the standard chain of the AWS SDK
  --s3-endpoint URL   another server than AWS
  --s3-region REGION  region of the bucket (that of the standard chain)
  --s3-prefix TEXT    precedes the names of all objects, as in service/
  --s3-path-style     put the bucket in the path of the URL
  --s3-sse AES256|aws:kms   encrypt the objects (as the bucket says)`;

/** The options of `serve` and `worker` for a service on many machines, in their `--help` texts. */
export const DATABASE_USAGE = `  --database-url URL  database: postgres://USER:PASSWORD@HOST:PORT/NAME. A password is better set by
                      MODEL_PROCESSING_DATABASE_URL, or:
  --database-url-file FILE   the same, with the URL in FILE
  --database-connections N   connections to the database, 4 or more (10; of a worker: twice the
                      operations in parallel + 3)
  --no-migrate        refuse tables that have to be upgraded, instead of upgrading them
${BUCKET_USAGE}`;

/** The `--help` text of `worker`. */
export const WORKER_USAGE = `model-processing worker [OPTION...]
Runs the operations and sends the callbacks of a service on many machines, whose API "serve
--database-url" serves. The first line on stdout is the URL of its /healthz, /readyz and /metrics.

${DATABASE_USAGE}
  --scratch DIR       folder for the files of running operations, used by this worker alone
  --scratch-size SIZE   copies of inputs that it may hold (10G)
  --workers N         operations to run in parallel (cores minus one, limited by memory)
  --memory SIZE       memory limit per operation (4G, at most 60 % of what is available)
  --drain SECONDS     time for running operations after SIGTERM; other workers run the rest (30)
  --keep-days N       days to keep files (7)
  --scrub-days N      days in which all workers together read all files once to find damaged ones,
                      0 for never (30)
  --disk-quota SIZE   space for all stored files (no limit)
  --user-quota SIZE   space for the stored files of each user (no limit)
  --cache on|off      reuse the results of identical operations (on)
  --sandbox auto|on|off   run operations in a sandbox of bubblewrap: if possible, always, never (auto)
  --callbacks RULE    allowed callback targets: public, loopback, or address ranges (public)
  --callback-secret-file FILE   sign callbacks with the secret in FILE (whsec_…)
  --host ADDRESS      address to listen on (127.0.0.1)
  --port N            port to listen on, 0 for any free port (8485)
  --max-connections N   connections that may be open, others get 503 (1000)
  --metrics-token TOKEN   /metrics requires this token, and replies to other machines, too
  --metrics-token-file FILE   the same, with the token in FILE
  --log-level LEVEL   debug, info, warn or error (info)

SIZE is a number of bytes, with K, M, G or T for powers of 1024.`;

/** The `--help` text of `migrate`. */
export const MIGRATE_USAGE = `model-processing migrate --database-url URL
Creates or upgrades the tables of a service on many machines. "serve" and "worker" do the same
unless --no-migrate is set, which a database user without the right to change tables needs.

  --database-url URL  database: postgres://USER:PASSWORD@HOST:PORT/NAME
  --database-url-file FILE   the same, with the URL in FILE`;
