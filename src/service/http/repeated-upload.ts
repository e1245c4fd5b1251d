import type { FastifyReply, FastifyRequest } from 'fastify';
import { createDigestSink } from '../blobs/digest-sink.js';
import type { Limits } from '../defaults.js';
import type { Files } from '../store/files.js';
import type { FileRow, IdempotencyKeyRow } from '../store/schema.js';
import { findInput } from './find-input.js';
import { createFingerprint, requireSameContent } from './idempotency-key.js';
import { type ReceivedFile, receiveUpload } from './receive-upload.js';
import { sendContinue } from './send-continue.js';

/** Returns the fingerprint of an upload: equal for the same bytes with the same filename. */
export function createUploadFingerprint({ filename, digest }: ReceivedFile): string {
  return createFingerprint([filename, digest.sha256]);
}

/**
 * Finds the file of an earlier upload with the same key. Throws `KEY_REUSED` if it has another fingerprint, and the
 * errors of `findInput` if the file was deleted or found to be damaged meanwhile: the next repetition stores a new one.
 */
export async function findFirstFile(earlier: IdempotencyKeyRow, fingerprint: string, files: Files): Promise<FileRow> {
  return findInput(files, requireSameContent(earlier, fingerprint), earlier.owner, 'file');
}

/**
 * Reads an upload with the key of an earlier one, and stores nothing. Resolves with the row of the earlier file. Throws
 * the errors of `findFirstFile`.
 */
export async function receiveRepeatedUpload(
  request: FastifyRequest,
  reply: FastifyReply,
  earlier: IdempotencyKeyRow,
  { files, limits }: { files: Files; limits: Limits },
): Promise<FileRow> {
  sendContinue(request, reply);
  const target = { sink: createDigestSink(), maxBytes: limits.uploadBytes };
  const received = await receiveUpload(request.raw, target);
  return findFirstFile(earlier, createUploadFingerprint(received), files);
}
