import { DATABASE_USAGE } from './worker-usage.js';

/** The `--help` text of `serve`. In its own file, so that printing it does not load the service. */
export const SERVE_USAGE = `model-processing serve [OPTION...]
Starts the local service. The first line on stdout is its base URL; logs go to stderr.

  --host ADDRESS      address to listen on (127.0.0.1)
  --port N            port to listen on, 0 for any free port (8484)
  --data DIR          data folder (~/.model-processing)
  --workers N         operations to run in parallel (cores minus one, limited by memory)
  --memory SIZE       memory limit per operation (4G, at most 60 % of what is available)
  --keep-days N       days to keep files (7)
  --disk-quota SIZE   space for stored files (20G, at most 20 % of the disk)
  --user-quota SIZE   space for the stored files of each user (no limit)
  --scrub-days N      days in which all files are read once to find damaged ones, 0 for never (30)
  --queue-per-user N  operations of one user that may wait (10000)
  --queue-total N     operations of all users that may wait (100000)
  --cache on|off      reuse the results of identical operations (on)
  --sandbox auto|on|off   run operations in a sandbox of bubblewrap: if possible, always, never (auto)
  --max-connections N   connections that may be open, others get 503 (1000)
  --trusted-proxies RANGES   proxies whose X-Forwarded headers count: address ranges, or loopback
  --public-url URL    address of the service for clients, such as https://models.example.com
  --metrics-port N    port of /metrics, which clients of the API then cannot reach (that of the API)
  --metrics-token TOKEN   /metrics requires this token, and replies to other machines, too
  --metrics-token-file FILE   the same, with the token in FILE
  --web on|off        serve the page for people at / (on; off with --parent-pipe)
  --session-days N    days after which people sign in to the page again, however often they use it (30)
  --callbacks RULE    allowed callback targets: public, loopback, or address ranges (public)
  --callback-secret-file FILE   sign callbacks with the secret in FILE (whsec_…)
  --fault FILE        inject the faults listed in FILE, or, with the word "header", those in
                      request headers; for testing flows, loopback only
  --log-level LEVEL   debug, info, warn or error (info)
  --parent-pipe       stop when stdin is closed

On many machines, with PostgreSQL and an S3 bucket instead of --data, serve only the API; "worker"
runs the operations and has the options for them:

${DATABASE_USAGE}
  --drain-delay SECONDS   time after SIGTERM in which /readyz replies 503 and requests are served (5)

SIZE is a number of bytes, with K, M, G or T for powers of 1024.`;
