/** What `--help` says of `serve`. Apart, so that telling it loads no service. */
export const SERVE_USAGE = `model-processing serve   start the local service
  --host ADDRESS      where to listen (127.0.0.1)
  --port N            0: any free one (8484)
  --data DIR          where everything is kept (~/.model-processing)
  --workers N         operations that run at once (cores less one, as memory fits)
  --memory SIZE       memory of one operation (4G, at most 60 % of what there is)
  --keep-days N       how long files are kept (7)
  --disk-quota SIZE   what kept files may take (20G, at most 20 % of the disk)
  --cache on|off      answer a repeated operation with what it made before (on)
  --callbacks RULE    where callbacks may go: public, loopback, address ranges (public)
  --callback-secret-file FILE   sign callbacks with the secret in FILE (whsec_…)
  --fault FILE        let go wrong what FILE says, or with the word header what
                      requests say, to test flows (on loopback only)
  --log-level LEVEL   debug, info, warn, error (info)
  --parent-pipe       stop when stdin ends`;
