import type { DownloadedFile } from '../../src/client/index.js';
import { type DownloadSettings, readDownloadTarget } from './download-target.js';
import { nodeError } from './flow-error.js';
import type { Input } from './flow-node.js';
import { beginModel } from './model-record.js';
import { readUploadSource, SIZE_UNKNOWN, type UploadSettings } from './upload-source.js';

/** Uploads what the settings name, makes the file's record the payload and begins `msg.model`. Answers the file's name. */
export const uploadModel = async (input: Input<UploadSettings>): Promise<string> => {
  const { msg, connection, signal, activity } = input;
  const source = await readUploadSource(input);
  if (!connection.queue.hasRoom('transfer')) activity.waiting(input.text('queued'));
  let sentBytes = SIZE_UNKNOWN;
  const file = await connection.queue.run('transfer', signal, () => {
    activity.working(input.text('uploading'));
    return connection.client.upload(source.source, {
      signal,
      onProgress: (bytes, total) => {
        sentBytes = bytes;
        activity.working(input.text('uploading'), total ? bytes / total : undefined);
      },
    });
  });
  const { fileId, creationDate, fileUrl } = file;
  const { filename, size = sentBytes } = source;
  msg.payload = { fileId, creationDate, fileUrl, filename, size };
  beginModel(msg, { fileId, filename });
  return filename;
};

/** Downloads a file to where the settings say, and makes it the message's. Answers the file's name. */
export const downloadModel = async (input: Input<DownloadSettings>, fileId: string): Promise<string> => {
  const { msg, connection, signal, activity } = input;
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
  if (content === undefined) throw nodeError('BAD_REPLY', `the file ${fileId} was downloaded to nowhere`);
  msg.payload = content;
  msg.filename = file.path ?? filename ?? file.filename;
  return file.filename;
};
