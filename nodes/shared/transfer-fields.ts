import { flag, number, oneOf, text } from './settings.js';
import { VALUE_TYPES } from './typed-input.js';

/** The settings of what is uploaded. */
export const SOURCE_FIELDS = {
  source: text('payload'),
  sourceType: oneOf(...VALUE_TYPES, 'sample'),
  filename: text(),
  filenameType: oneOf('str', 'msg', 'flow', 'global', 'env', 'jsonata'),
  /** Waits until nobody writes to the file of a path any more: until it has stayed the same for so many seconds. */
  waitComplete: flag(false),
  completeSeconds: number(2, 0.1),
};

/** The settings of where a download goes. */
export const TARGET_FIELDS = {
  target: oneOf('buffer', 'file'),
  path: text(),
  pathType: oneOf('str', 'msg', 'flow', 'global', 'env', 'jsonata'),
  exists: oneOf('rename', 'overwrite', 'fail'),
};
