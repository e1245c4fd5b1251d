import { BUCKET_USAGE } from './worker-usage.js';

/** The `--help` text of `client`. */
export const CLIENT_USAGE = `model-processing client add|remove ID
model-processing client list
Manages the OAuth clients of a local service, which may be running.

  --data DIR          data folder of the service (~/.model-processing)
  --database-url URL  instead of --data: the database of a service on many machines
  --database-url-file FILE   the same, with the URL in FILE
${BUCKET_USAGE}

With --database-url, set the bucket, too: it gets a copy of the users and clients before the command
ends. Otherwise a worker writes the copy within 10 minutes.

add prints the secret once, as JSON.`;
