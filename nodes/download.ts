import type { NodeAPI } from 'node-red';
import { describedFilename } from './shared/message/filename.js';
import { readId } from './shared/message/message-input.js';
import { registerFlowNode } from './shared/node/flow-node.js';
import { COMMON_FIELDS, choiceField, textField } from './shared/node/settings.js';
import { VALUE_TYPES } from './shared/node/typed-input.js';
import { findFolderWarning } from './shared/transfers/folder-setting.js';
import { TARGET_FIELDS } from './shared/transfers/transfer-fields.js';
import { runDownload } from './shared/transfers/transfer-run.js';

/** The properties of the download node. */
export const DOWNLOAD_FIELDS = {
  ...COMMON_FIELDS,
  fileId: textField('payload.fileId'),
  fileIdType: choiceField(...VALUE_TYPES),
  ...TARGET_FIELDS,
};

/** Registers the download node: downloads a file (`fileId`) as a Buffer or to disk. */
export default function register(RED: NodeAPI): void {
  registerFlowNode(RED, {
    name: 'download',
    fields: DOWNLOAD_FIELDS,
    findWarning: findFolderWarning,
    run: async (input) => {
      const { msg, settings, evaluate, transfer } = input;
      if (transfer?.isComplete) return { text: describedFilename(msg) ?? '' };
      const fileId = await readId(msg, { value: settings.fileId, type: settings.fileIdType }, 'fileId', evaluate);
      return runDownload(input, fileId);
    },
  });
}
