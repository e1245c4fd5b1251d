/** The `--help` text of `backup`. */
export const BACKUP_USAGE = `model-processing backup DIR
Copies the data of a local service, which may be running, into the new folder DIR: users,
operations, files and models. The copy is a data folder. It contains secrets.

  --data DIR          data folder of the service (~/.model-processing)

The age of every file starts anew in the copy. A copy without service.db is unfinished.
Exit status 1 if a file is damaged; all others are copied.`;

/** The `--help` text of `restore`. */
export const RESTORE_USAGE = `model-processing restore DIR
Copies the backup DIR, to which it writes nothing, into a new data folder. No service may be
using either.

  --data DIR          new data folder (~/.model-processing); an existing one has to be moved first

The age of every file starts anew. Exit status 1 if a file is damaged; all others are copied.`;
