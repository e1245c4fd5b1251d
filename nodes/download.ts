import type { NodeAPI } from 'node-red';
import { readDownloadTarget } from './shared/download-target.js';
import { nodeError } from './shared/flow-error.js';
import { registerFlowNode } from './shared/flow-node.js';
import { readId } from './shared/message-input.js';
import { COMMON_FIELDS, oneOf, text } from './shared/settings.js';
import { VALUE_TYPES } from './shared/typed-input.js';

export const DOWNLOAD_FIELDS = {
  ...COMMON_FIELDS,
  fileId: text('payload.fileId'),
  fileIdType: oneOf(...VALUE_TYPES),
  target: oneOf('buffer', 'file'),
  path: text(),
  pathType: oneOf('str', 'msg', 'flow', 'global', 'env', 'jsonata'),
  exists: oneOf('rename', 'overwrite', 'fail'),
};

/** Fetches a file: `fileId` → Buffer, or a file on disk. */
export default function register(RED: NodeAPI): void {
  registerFlowNode(RED, {
    name: 'download',
    fields: DOWNLOAD_FIELDS,
    run: async (input) => {
      const { msg, settings, connection, signal, activity, evaluate } = input;
      const fileId = await readId(msg, { value: settings.fileId, type: settings.fileIdType }, 'fileId', evaluate);
      const { target, filename } = await readDownloadTarget(input);
      if (!connection.queue.hasRoom('transfer')) activity.waiting(input.text('queued'));
      const file = await connection.queue.run('transfer', signal, () => {
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
      return { text: file.filename };
    },
  });
}
