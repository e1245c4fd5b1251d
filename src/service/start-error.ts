/**
 * The error codes of a command that cannot start.
 *
 * - `FOLDER_LOCKED`: another service is using the data folder, or the backup to restore, or another worker the scratch folder.
 * - `FOLDER_NEWER`: a newer version of the program wrote the data folder.
 * - `DATABASE_MISSING`: the folder contains files, but no database.
 * - `DATABASE_DAMAGED`: the database or its write-ahead log is damaged.
 * - `DATABASE_FOREIGN`, `DATABASE_OLDER`: the database belongs to another folder, or is an older copy.
 * - `DATABASE_NEWER`, `DATABASE_OUTDATED`: the version of the tables excludes this program, or has to be upgraded first.
 * - `DATABASE_UNREACHABLE`: PostgreSQL cannot be reached, or refuses the connection or the upgrade of the tables.
 * - `DATABASE_NOT_EMPTY`: the database that is to be recovered from a bucket has rows.
 * - `FOLDER_NOT_EMPTY`: the folder that a store is to be copied into has content.
 * - `FOLDER_UNUSABLE`: the data folder cannot be created, read or written.
 * - `DISK_FULL`: there is no space for the data folder.
 * - `ADDRESS_UNAVAILABLE`: the service cannot listen on its host and port.
 * - `SANDBOX_UNAVAILABLE`: kernel processes cannot run in a sandbox here, although they must.
 * - `NATIVE_UNAVAILABLE`: the database library has no native code for this system.
 * - `ACCOUNT_UNKNOWN`, `ACCOUNT_EXISTS`: the user or client to change does not exist, or the one to add already exists.
 * - `BUCKET_FOREIGN`: the bucket belongs to another database.
 * - `BUCKET_UNAVAILABLE`: the bucket does not exist, or could not be read or written.
 * - `USAGE`: the command line is invalid.
 */
export type StartErrorCode =
  | 'FOLDER_LOCKED'
  | 'FOLDER_NEWER'
  | 'DATABASE_MISSING'
  | 'DATABASE_DAMAGED'
  | 'DATABASE_FOREIGN'
  | 'DATABASE_OLDER'
  | 'DATABASE_NEWER'
  | 'DATABASE_OUTDATED'
  | 'DATABASE_UNREACHABLE'
  | 'DATABASE_NOT_EMPTY'
  | 'FOLDER_NOT_EMPTY'
  | 'FOLDER_UNUSABLE'
  | 'DISK_FULL'
  | 'ADDRESS_UNAVAILABLE'
  | 'SANDBOX_UNAVAILABLE'
  | 'NATIVE_UNAVAILABLE'
  | 'ACCOUNT_UNKNOWN'
  | 'ACCOUNT_EXISTS'
  | 'BUCKET_FOREIGN'
  | 'BUCKET_UNAVAILABLE'
  | 'USAGE';

/** An error that ends the program before it does anything. The message states the remedy. */
export class StartError extends Error {
  override readonly name = 'StartError';
  readonly code: StartErrorCode;

  constructor(code: StartErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
