/**
 * Why the program could not start.
 *
 * - `FOLDER_LOCKED`: another service has the data folder.
 * - `FOLDER_NEWER`: a newer program wrote the data folder.
 * - `NATIVE_UNAVAILABLE`: the database library has no native code for this system.
 * - `ACCOUNT_UNKNOWN`, `ACCOUNT_EXISTS`: a user or client that is to be changed is not there, or one to be added is.
 * - `USAGE`: the command line is wrong.
 */
export type StartErrorCode =
  | 'FOLDER_LOCKED'
  | 'FOLDER_NEWER'
  | 'NATIVE_UNAVAILABLE'
  | 'ACCOUNT_UNKNOWN'
  | 'ACCOUNT_EXISTS'
  | 'USAGE';

/** Ends the program before it does anything. The message says what to change. */
export class StartError extends Error {
  override readonly name = 'StartError';
  readonly code: StartErrorCode;

  constructor(code: StartErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
