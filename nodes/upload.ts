import type { NodeAPI } from 'node-red';
import { registerFlowNode } from './shared/node/flow-node.js';
import { COMMON_FIELDS } from './shared/node/settings.js';
import { SOURCE_FIELDS } from './shared/transfers/transfer-fields.js';
import { uploadModel } from './shared/transfers/transfer-run.js';

export const UPLOAD_FIELDS = { ...COMMON_FIELDS, ...SOURCE_FIELDS };

/** Sends a file to the service: Buffer, path, stream or bundled sample → `fileId`. */
export default function register(RED: NodeAPI): void {
  registerFlowNode(RED, {
    name: 'upload',
    fields: UPLOAD_FIELDS,
    run: async (input) => ({ text: await uploadModel(input) }),
  });
}
