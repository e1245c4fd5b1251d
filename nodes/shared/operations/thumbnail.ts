import { ClientError } from '../../../src/client/index.js';
import { getModelRecord, type ResultWithVerdict } from '../message/model-record.js';
import type { NodeInput } from '../node/flow-node.js';

/** The size limit of a thumbnail in a message. */
const MAX_THUMBNAIL_BYTES = 4 << 20;

/**
 * Downloads the file of a thumbnail operation to `msg.model.thumbnail`. If it exceeds 4 MiB, adds the warning
 * `THUMBNAIL_TOO_LARGE` instead.
 */
export async function fetchThumbnail(input: NodeInput<unknown>, { fileId }: ResultWithVerdict): Promise<void> {
  const { msg, connection, signal } = input;
  if (fileId === undefined) return;
  const target = { to: 'buffer', maxBytes: MAX_THUMBNAIL_BYTES } as const;
  try {
    const { data } = await connection.queue.run('transfer', signal, () =>
      connection.client.download(fileId, target, { signal }),
    );
    if (data) getModelRecord(msg).thumbnail = data;
  } catch (error) {
    if (!(error instanceof ClientError) || error.code !== 'INPUT_INVALID') throw error;
    getModelRecord(msg).warnings.push({ code: 'THUMBNAIL_TOO_LARGE', message: error.message });
  }
}
