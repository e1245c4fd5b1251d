/** The `--help` text of `verify`. */
export const VERIFY_USAGE = `model-processing verify [--purge]
Reads all files and models of a local service, which may be running, and compares them with
their digests and records. Damaged ones are listed and no longer delivered; those that were
restored are delivered again. Exit status 1 if one is damaged.

  --data DIR          data folder of the service (~/.model-processing)
  --purge             delete the files in quarantine, which nothing else deletes, and the
                      databases that recover --apply kept there`;
