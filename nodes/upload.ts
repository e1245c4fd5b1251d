import type { NodeAPI } from 'node-red';
import { registerFlowNode } from './shared/node/flow-node.js';
import { COMMON_FIELDS } from './shared/node/settings.js';
import { findFolderWarning } from './shared/transfers/folder-setting.js';
import { SOURCE_FIELDS } from './shared/transfers/transfer-fields.js';
import { runUpload } from './shared/transfers/transfer-run.js';
import { findFormParts } from './shared/transfers/upload-source.js';

/** The properties of the upload node. */
export const UPLOAD_FIELDS = { ...COMMON_FIELDS, ...SOURCE_FIELDS };

/** Registers the upload node: uploads a Buffer, a stream, the file at a path or a bundled sample (`fileId`). */
export default function register(RED: NodeAPI): void {
  registerFlowNode(RED, {
    name: 'upload',
    fields: UPLOAD_FIELDS,
    findWarning: findFolderWarning,
    findParts: findFormParts,
    run: runUpload,
  });
}
