import { choiceField, flagField, numberField, textField } from '../node/settings.js';
import { VALUE_TYPES } from '../node/typed-input.js';

/** The settings of what is uploaded. */
export const SOURCE_FIELDS = {
  source: textField('payload'),
  sourceType: choiceField(...VALUE_TYPES, 'sample'),
  filename: textField(),
  filenameType: choiceField('str', 'msg', 'flow', 'global', 'env', 'jsonata'),
  /** Waits until nobody writes to the file of a path any more: until it has stayed the same for so many seconds. */
  waitComplete: flagField(false),
  completeSeconds: numberField(2, 0.1),
};

/** The settings of where a download goes. */
export const TARGET_FIELDS = {
  target: choiceField('buffer', 'file'),
  path: textField(),
  pathType: choiceField('str', 'msg', 'flow', 'global', 'env', 'jsonata'),
  exists: choiceField('rename', 'overwrite', 'fail'),
};
