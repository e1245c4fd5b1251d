import { ClientError } from '../../../src/client/index.js';
import { getModelRecord, type ResultWithVerdict } from '../message/model-record.js';
import type { NodeInput } from '../node/flow-node.js';

/** The maximum size of a thumbnail in a message: 4 MiB. */
const MAX_THUMBNAIL_BYTES = 4 << 20;

/**
 * Downloads the image that a thumbnail operation created to `msg.model.thumbnail`. If it exceeds 4 MiB, adds the
 * warning `THUMBNAIL_TOO_LARGE` to `msg.model.warnings` instead.
 */
export async function downloadThumbnail(input: NodeInput<unknown>, { fileId }: ResultWithVerdict): Promise<void> {
  const { msg, connection, signal } = input;
  if (fileId === undefined) return;
  const target = { to: 'buffer', maxBytes: MAX_THUMBNAIL_BYTES } as const;
  try {
    const { data } = await connection.queue.run('transfer', signal, () =>
      connection.client.download(fileId, target, { signal }),
    );
    if (data) getModelRecord(msg).thumbnail = data;
  } catch (error) {
    // `download` throws `INPUT_INVALID` if the file exceeds `maxBytes`.
    if (!(error instanceof ClientError) || error.code !== 'INPUT_INVALID') throw error;
    getModelRecord(msg).warnings.push({ code: 'THUMBNAIL_TOO_LARGE', message: error.message });
  }
}
