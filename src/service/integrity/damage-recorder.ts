import type { BlobStore } from '../blobs/blob-store.js';
import type { Logger } from '../logger.js';
import { isDiskFull } from '../service-error.js';
import type { Files } from '../store/files.js';
import type { FileRow } from '../store/schema.js';

const FINDING = 'Stored files are damaged and no longer delivered';
const DISK_REMEDY = 'Check the disk, restore them from a backup';

/** The dependencies of a `DamageRecorder`. */
export interface DamageRecorderDependencies {
  files: Pick<Files, 'findEqual' | 'setDamaged'>;
  blobs: Pick<BlobStore, 'readIdentity'>;
  now: () => number;
  logger: Logger;
  /** What the operator has to do before the check, for the log. Default: for files on a disk. */
  damageRemedy?: string | undefined;
  /** Called with the number of files that were marked. */
  onDamaged?: (count: number) => void;
}

/** Records that the bytes of stored files are missing or were altered. */
export interface DamageRecorder {
  /**
   * Marks a file as damaged, and all others whose bytes are the same on the disk. Logs those that were not marked yet.
   * `cause`: how the damage was noticed.
   */
  record(file: FileRow, cause: unknown): Promise<void>;
}

/** Creates a recorder of damaged files. */
export function createDamageRecorder(dependencies: DamageRecorderDependencies): DamageRecorder {
  const { files, blobs, now, logger, damageRemedy = DISK_REMEDY, onDamaged } = dependencies;

  /** A result that was reused from the cache is a hard link, so several files may have the same bytes on the disk. */
  const findAffected = async (file: FileRow): Promise<Pick<FileRow, 'id' | 'filename'>[]> => {
    const identity = await blobs.readIdentity(file.id);
    if (identity === undefined || file.sha256 === null) return [file];
    const affected = [];
    for (const equal of await files.findEqual(file)) {
      if (equal.id === file.id || (await blobs.readIdentity(equal.id)) === identity) affected.push(equal);
    }
    return affected;
  };

  return {
    async record(file, cause) {
      const marked = [];
      try {
        for (const { id, filename } of await findAffected(file)) {
          if (await files.setDamaged(id, now())) marked.push({ id, filename });
        }
      } catch (error) {
        if (!isDiskFull(error)) throw error;
        marked.push({ id: file.id, filename: file.filename }); // marked when it is read again
      }
      if (marked.length === 0) return;
      logger.error({ files: marked, err: cause }, `${FINDING}. ${damageRemedy}, and run "model-processing verify"`);
      onDamaged?.(marked.length);
    },
  };
}
