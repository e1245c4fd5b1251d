import { BUCKET_USAGE } from './worker-usage.js';

/** The `--help` text of `user`. */
export const USER_USAGE = `model-processing user add|password|remove NAME
model-processing user quota NAME SIZE|none
model-processing user owner NAME on|off
model-processing user list
Manages the users of a local service, which may be running.

  --data DIR          data folder of the service (~/.model-processing)
  --database-url URL  instead of --data: the database of a service on many machines
  --database-url-file FILE   the same, with the URL in FILE
${BUCKET_USAGE}
  --quota SIZE        of add: space for the stored files of this user (none: as serve --user-quota)

With --database-url, set the bucket, too: it gets a copy of the users and clients before the command
ends. Otherwise a worker writes the copy within 10 minutes.

add and password prompt for the password, or read it from the first line of stdin. list prints the
name, the creation date, the quota in bytes, and whether the user is an owner. quota applies to a
running service at once. owner lets a user manage the service in its page.
SIZE is a number of bytes, with K, M, G or T for powers of 1024.`;
