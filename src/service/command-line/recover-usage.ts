import { BUCKET_USAGE } from './worker-usage.js';

/** The `--help` text of `recover`. */
export const RECOVER_USAGE = `model-processing recover [--apply] [--data DIR]
model-processing recover [--apply] [--take-over] --database-url URL --s3-bucket NAME
Rebuilds the database of a local service that is missing, damaged or too old. The service
must not be running. Without --apply, only prints what would be recovered.

  --apply             replace the database; the old one is kept in DIR/quarantine
  --data DIR          data folder of the service (~/.model-processing)

Files and models are recovered from the records beside them, users and clients from
accounts.json, and operations from the old database as far as it is readable. All files
and models keep their ids and owners. Their ages start again, and everybody has to sign
in again. The disk needs space for three copies of the database.

With --database-url, the lost database of a service on many machines is rebuilt from its bucket:
files and models from their records, users and clients from accounts.json. The database must be
empty, and no service may use the bucket. Nothing is deleted from it.

  --take-over         make the bucket that of this database, and refuse the lost one from then on
  --database-url URL  the empty database: postgres://USER:PASSWORD@HOST:PORT/NAME
  --database-url-file FILE   the same, with the URL in FILE
${BUCKET_USAGE}

Exit status: 0 recovered, or the dry run is complete; 1 failed, and can be repeated;
2 invalid usage; 3 a service is using the folder.`;
