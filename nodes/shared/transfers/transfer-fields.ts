import { NUMBER_RULES } from '../node/field-rules.js';
import { choiceField, type Field, flagField, numberField, textField } from '../node/settings.js';
import { DYNAMIC_TYPES, VALUE_TYPES } from '../node/typed-input.js';
import { folderField } from './folder-setting.js';

/** The properties of the source of an upload. */
export const SOURCE_FIELDS = {
  source: textField('payload'),
  sourceType: choiceField(...VALUE_TYPES, 'sample'),
  folder: folderField(),
  filename: textField(),
  filenameType: choiceField('str', ...DYNAMIC_TYPES),
  /** For a path: wait until the file has not changed for `completeSeconds`. */
  waitComplete: flagField(false),
  completeSeconds: numberField(2, NUMBER_RULES.completeSeconds),
  allFormFiles: allFormFilesField(),
};

/**
 * Creates the property that chooses between all files of a form, one message each, and the first. Nodes without the
 * property were saved before it existed: they upload the first.
 */
function allFormFilesField(): Field<boolean> {
  return { value: true, read: (saved) => saved === true };
}

/** The properties of the destination of a download. */
export const TARGET_FIELDS = {
  target: choiceField('buffer', 'file'),
  path: textField(),
  pathType: choiceField('str', ...DYNAMIC_TYPES),
  folder: folderField(),
  exists: choiceField('rename', 'overwrite', 'fail'),
};
