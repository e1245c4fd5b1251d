import type { InnerShellRule } from '../../../api/index.js';
import { MODEL_OUTPUT, type OperationKind } from '../operation-kind.js';

const INNER_SHELL_RULES: readonly InnerShellRule[] = ['auto', 'void', 'merge'];

function findInnerShellRule(text: string): InnerShellRule | undefined {
  return INNER_SHELL_RULES.find((rule) => rule === text.toLowerCase());
}

/** Repairs a model. */
export const REPAIR = {
  name: 'repair',
  input: 'model',
  output: MODEL_OUTPUT,
  canUseThreads: true,
  parameters: {
    innerShells: {
      names: INNER_SHELL_RULES,
      find: findInnerShellRule,
      unknownCode: 'FIELD_INVALID',
      isOptional: true,
      proposed: 'auto',
      description: 'how to treat closed shells inside others; default auto',
    },
    parts: {
      values: ['keep', 'unite'],
      isOptional: true,
      proposed: 'keep',
      legacyValue: 'unite',
      description:
        'whether parts of a model that touch or overlap stay separate; default keep. STL files, and models of one object, have one part',
    },
  },
  dialogs: ['repair'],
} as const satisfies OperationKind;
