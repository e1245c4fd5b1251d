import path from 'node:path';
import { ClientError } from '../client-error.js';

/**
 * Returns a size that can be uploaded, else throws `FILE_UNREADABLE`. Empty files are refused: they contain no model,
 * and a service may treat them as a malformed request.
 */
export function assertUploadSize(size: number, name: string): number {
  if (size > 0 && Number.isSafeInteger(size)) return size;
  const reason = size === 0 ? 'it is empty' : 'its size is invalid';
  throw new ClientError('FILE_UNREADABLE', `Could not read ${name}: ${reason}.`);
}

/**
 * Returns the base name of a path, with line breaks replaced by spaces. Throws `INPUT_INVALID` if it has no extension,
 * from which the service determines the format.
 */
export function assertUploadFilename(filename: unknown): string {
  const text = typeof filename === 'string' ? filename : '';
  const name = path.posix.basename(
    text
      .replaceAll('\\', '/')
      .replace(/[\p{Cc}]+/gu, ' ')
      .trim(),
  );
  if (/[^.]\.[^.]+$/.test(name)) return name;
  const reason = text ? `"${name.slice(0, 80)}" has no extension` : 'there is none';
  throw new ClientError(
    'INPUT_INVALID',
    `The upload needs a filename with an extension, such as part.stl (${reason}).`,
  );
}

/** Returns the error of an upload whose stream another upload reads, or has read. */
export function createStreamInUseError(name: string): ClientError {
  const remedy = 'Pass a path or a Buffer to upload it several times.';
  return new ClientError('FILE_UNREADABLE', `Could not read ${name}: another upload has read the stream. ${remedy}`);
}
