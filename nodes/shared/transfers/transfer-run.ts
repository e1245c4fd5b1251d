import type { DownloadedFile } from '../../../src/client/index.js';
import { getModelRecord, startModelRecord } from '../message/model-record.js';
import { createNodeError } from '../node/flow-error.js';
import type { NodeInput } from '../node/node-input.js';
import type { Outcome } from '../node/status-indicator.js';
import { type DownloadSettings, readDownloadTarget } from './download-target.js';
import { readUploadSource, SIZE_UNKNOWN, type UploadSettings } from './upload-source.js';

/**
 * Uploads the source in the settings. Sets the payload to the reply of the service, with the filename and the size in
 * bytes, and starts a new `msg.model`. The outcome has the filename, and a warning if further files of a form were not
 * uploaded. A redeploy does not lose the message: the next instance of the node uploads it with the same idempotency key.
 */
export async function runUpload(input: NodeInput<UploadSettings>): Promise<Outcome> {
  const { msg, connection, signal, activity } = input;
  const transfer = input.trackTransfer('upload');
  if (transfer.isComplete) return { text: getModelRecord(msg).filename ?? '', isWarning: false };
  const { source, filename, size: knownSize, ignoredNames } = await readUploadSource(input);
  transfer.name = `upload of ${filename}`;
  if (!connection.queue.hasRoom('transfer')) activity.waiting(input.text('queued'));
  let sentBytes = SIZE_UNKNOWN;
  const file = await connection.queue.run('transfer', signal, async () => {
    activity.working(input.text('uploading'));
    transfer.isStream = 'stream' in source;
    try {
      await connection.importExtensions.assertAccepted(filename, signal);
    } catch (error) {
      // The client, which closes the streams of its uploads, does not receive this one.
      if ('stream' in source) source.stream.destroy();
      throw error;
    }
    return connection.client.upload(source, {
      signal,
      idempotencyKey: transfer.key,
      onProgress: (bytes, total) => {
        sentBytes = bytes;
        activity.working(input.text('uploading'), total ? bytes / total : undefined);
      },
    });
  });
  msg.payload = { ...file, filename, size: knownSize ?? sentBytes };
  startModelRecord(msg, { fileId: file.fileId, filename });
  transfer.isStream = false;
  transfer.isComplete = true;
  const hasIgnored = ignoredNames.length > 0;
  if (hasIgnored)
    getModelRecord(msg).warnings.push({ code: 'FORM_FILES_IGNORED', message: ignoredFilesMessage(ignoredNames) });
  return { text: filename, isWarning: hasIgnored };
}

function ignoredFilesMessage(names: readonly string[]): string {
  const list = names.map((name) => `"${name}"`).join(', ');
  return `Only the first file of the form was uploaded, not ${list}. Choose "All files of a form" in the node.`;
}

/**
 * Downloads a file to the destination in the settings. Sets the payload to its content or path. The outcome has the
 * filename, and a warning if the service sent no Content-Length: a truncated download cannot be detected then. A redeploy
 * does not lose the message: the next instance of the node downloads the file again.
 */
export async function runDownload(input: NodeInput<DownloadSettings>, fileId: string): Promise<Outcome> {
  const { msg, connection, signal, activity } = input;
  const transfer = input.trackTransfer('download');
  const { target, filename } = await readDownloadTarget(input);
  if (!connection.queue.hasRoom('transfer')) activity.waiting(input.text('queued'));
  const file: DownloadedFile = await connection.queue.run('transfer', signal, () => {
    activity.working(input.text('downloading'));
    return connection.client.download(fileId, target, {
      signal,
      onProgress: (bytes, total) => activity.working(input.text('downloading'), total ? bytes / total : undefined),
    });
  });
  const content = file.path ?? file.data;
  if (content === undefined)
    throw createNodeError('BAD_REPLY', `Could not download file ${fileId}: the reply has neither content nor a path.`);
  msg.payload = content;
  msg.filename = file.path ?? filename ?? file.filename;
  transfer.isComplete = true;
  if (!file.isVerified)
    getModelRecord(msg).warnings.push({ code: 'LENGTH_UNKNOWN', message: lengthUnknownMessage(file.filename) });
  return { text: file.filename, isWarning: !file.isVerified };
}

function lengthUnknownMessage(filename: string): string {
  return `The service sent no Content-Length for ${filename}: a truncated file cannot be detected. Check its size.`;
}
