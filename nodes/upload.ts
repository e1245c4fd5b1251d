import type { NodeAPI } from 'node-red';
import { registerFlowNode } from './shared/flow-node.js';
import { beginModel } from './shared/model-record.js';
import { COMMON_FIELDS, oneOf, text } from './shared/settings.js';
import { VALUE_TYPES } from './shared/typed-input.js';
import { readUploadSource, SIZE_UNKNOWN } from './shared/upload-source.js';

export const UPLOAD_FIELDS = {
  ...COMMON_FIELDS,
  source: text('payload'),
  sourceType: oneOf(...VALUE_TYPES, 'sample'),
  filename: text(),
  filenameType: oneOf('str', 'msg', 'flow', 'global', 'env', 'jsonata'),
};

/** Sends a file to the service: Buffer, path, stream or bundled sample → `fileId`. */
export default function register(RED: NodeAPI): void {
  registerFlowNode(RED, {
    name: 'upload',
    fields: UPLOAD_FIELDS,
    run: async (input) => {
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
      const size = source.size ?? sentBytes;
      const { fileId, creationDate, fileUrl } = file;
      msg.payload = { fileId, creationDate, fileUrl, filename: source.filename, size };
      beginModel(msg, { fileId, filename: source.filename });
      return { text: source.filename };
    },
  });
}
