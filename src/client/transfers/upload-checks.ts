import path from 'node:path';
import { ClientError } from '../client-error.js';

/** Sizes that can be uploaded. A file without a byte is no model, and a service may take it for a broken request. */
export function assertUploadSize(size: number, name: string): number {
  if (size > 0 && Number.isSafeInteger(size)) return size;
  const reason = size === 0 ? 'it is empty' : 'its size makes no sense';
  throw new ClientError('FILE_UNREADABLE', `Could not read ${name}: ${reason}.`);
}

/** The base name, on one line. Its extension tells the service the format, so there must be one. */
export function assertUploadFilename(filename: unknown): string {
  const text = typeof filename === 'string' ? filename : '';
  const name = path.posix.basename(
    text
      .replaceAll('\\', '/')
      .replace(/[\p{Cc}]+/gu, ' ')
      .trim(),
  );
  if (/[^.]\.[^.]+$/.test(name)) return name;
  const given = text ? `"${name.slice(0, 80)}" has no extension` : 'there is none';
  throw new ClientError('INPUT_INVALID', `The upload needs a filename with an extension, such as part.stl: ${given}.`);
}
