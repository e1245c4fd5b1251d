import { BUCKET_USAGE } from './worker-usage.js';

/** The `--help` text of `verify`. */
export const VERIFY_USAGE = `model-processing verify [--purge]
model-processing verify --database-url URL --s3-bucket NAME
Reads all files and models of a local service, which may be running, and compares them with
their digests and records. Damaged ones are listed and no longer delivered; those that were
restored are delivered again. Exit status 1 if one is damaged.

  --data DIR          data folder of the service (~/.model-processing)
  --purge             delete the files in quarantine, which nothing else deletes, and the
                      databases that recover --apply kept there

With --database-url, checks the files of a service on many machines, and names the objects in
its bucket that have no row in the database. Nothing is deleted.

  --database-url URL  database: postgres://USER:PASSWORD@HOST:PORT/NAME
  --database-url-file FILE   the same, with the URL in FILE
${BUCKET_USAGE}`;
