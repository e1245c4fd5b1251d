import { ClientError } from '../../src/client/index.js';
import type { Input } from './flow-node.js';
import { type JudgedResult, modelOf } from './model-record.js';

/** The largest picture that goes into a message. */
const MAX_THUMBNAIL_BYTES = 4 << 20;

/** Puts the picture that a thumbnail made into `msg.model.thumbnail`; one that is too large is warned of and left where it is. */
export async function fetchThumbnail(input: Input<unknown>, { fileId }: JudgedResult): Promise<void> {
  const { msg, connection, signal } = input;
  if (fileId === undefined) return;
  const target = { to: 'buffer', maxBytes: MAX_THUMBNAIL_BYTES } as const;
  try {
    const { data } = await connection.queue.run('transfer', signal, () =>
      connection.client.download(fileId, target, { signal }),
    );
    if (data) modelOf(msg).thumbnail = data;
  } catch (error) {
    if (!(error instanceof ClientError) || error.code !== 'INPUT_INVALID') throw error;
    modelOf(msg).warnings.push({ code: 'THUMBNAIL_TOO_LARGE', message: error.message });
  }
}
