import { asRecord, isNonBlankString, type TypedValue, toNumber } from '../message/message-input.js';
import { isJsonObject } from '../node/field-rules.js';
import { createNodeError } from '../node/flow-error.js';
import { choiceField, type Field, type SettingsOf, textField } from '../node/settings.js';
import { DYNAMIC_TYPES } from '../node/typed-input.js';
import { OPERATION_PARAMETERS, type OperationParameter } from '../operations.generated.js';

/** The saved value of `operation` for a custom operation, with a name and JSON parameters. */
export const CUSTOM_OPERATION = 'other';

/** Error messages contain at most this many characters of a name. */
const MAX_NAME_LENGTH = 80;

// Operations that no dialog offers, such as custom ones, have no parameters in the table.
function parametersOf(operation: string): Readonly<Record<string, OperationParameter>> {
  return new Map(Object.entries(OPERATION_PARAMETERS)).get(operation) ?? {};
}

/** Creates a property for typed inputs by parameter name. Saved values that are not typed inputs are skipped. */
export function typedValues(): Field<Readonly<Record<string, TypedValue>>> {
  return {
    value: {},
    read: (saved) =>
      Object.fromEntries(
        Object.entries(asRecord(saved)).flatMap(([name, input]) => {
          const { value, type } = asRecord(input);
          return typeof value === 'string' && typeof type === 'string' ? [[name, { value, type }]] : [];
        }),
      ),
  };
}

/** A saved operation that the node does not have, such as one of a newer version or with a typing error. */
export interface UnknownOperation {
  /** As it was saved; '' if there was none. */
  readonly unknownName: string;
  /** The operations that the node has. */
  readonly offered: readonly string[];
}

/**
 * Creates a property for an operation. The first is the default. Unlike other choices, one that is not in the list is not
 * read as the default: the node would change the model by an operation that nobody selected.
 */
export function operationField<const T extends string>(first: T, ...others: T[]): Field<T | UnknownOperation> {
  const options = [first, ...others];
  return {
    value: first,
    options,
    read: (saved) => {
      if (saved === undefined) return first;
      const unknownName = typeof saved === 'string' ? saved : JSON.stringify(saved);
      return options.find((option) => option === saved) ?? { unknownName, offered: options };
    },
  };
}

/** Creates the properties for an operation and its parameters. The first operation is the default. */
export function operationFields<const T extends string>(first: T, ...others: T[]) {
  return {
    operation: operationField<T | typeof CUSTOM_OPERATION>(first, ...others, CUSTOM_OPERATION),
    parameters: typedValues(),
    ownOperation: textField(),
    ownParameters: textField('{}'),
    ownParametersType: choiceField('json', ...DYNAMIC_TYPES),
  };
}

/** The settings of an operation and its parameters. */
export type OperationSettings = SettingsOf<ReturnType<typeof operationFields<string>>>;

/** The operation and parameters that the settings select, without the id of the model. */
export interface ChosenOperation {
  operation: string;
  parameters: Record<string, unknown>;
}

/** Returns the operation of the settings. Throws `INPUT_MISSING` or `INPUT_INVALID` if the node does not have it. */
export function requireOperation<T extends string>(operation: T | UnknownOperation): T {
  if (typeof operation === 'string') return operation;
  const { unknownName, offered } = operation;
  const remedy = "Select one in the node's properties.";
  if (unknownName === '') throw createNodeError('INPUT_MISSING', `No operation. ${remedy}`);
  const message = `Invalid operation "${unknownName.slice(0, MAX_NAME_LENGTH)}": expected one of ${offered.join(', ')}.`;
  throw createNodeError('INPUT_INVALID', `${message} ${remedy}`);
}

/**
 * Reads the operation and evaluates its parameters. Throws `INPUT_MISSING` or `INPUT_INVALID` with the name of the
 * parameter.
 */
export async function readOperation(
  settings: Pick<OperationSettings, 'operation' | 'parameters'> | OperationSettings,
  evaluate: (setting: TypedValue) => Promise<unknown>,
): Promise<ChosenOperation> {
  const operation = requireOperation(settings.operation);
  if ('ownOperation' in settings && operation === CUSTOM_OPERATION) return readCustomOperation(settings, evaluate);
  const parameters: Record<string, unknown> = {};
  for (const [name, { proposed, isOptional }] of Object.entries(parametersOf(operation))) {
    const setting = settings.parameters[name] ?? { value: String(proposed), type: 'str' };
    const value = readParameter(name, proposed, await evaluate(setting));
    // Not every service supports an optional parameter.
    if (!isOptional || value !== proposed) parameters[name] = value;
  }
  return { operation, parameters };
}

function readParameter(name: string, proposed: number | string, value: unknown): number | string {
  if (value === undefined || value === null || value === '')
    throw createNodeError('INPUT_MISSING', `No value for ${name}. Enter one in the node's properties.`);
  if (typeof proposed === 'string') {
    if (isNonBlankString(value)) return value.trim();
    throw createNodeError('INPUT_INVALID', `Invalid ${name}: expected a string, not a value of type ${typeof value}.`);
  }
  return toNumber(name, value);
}

async function readCustomOperation(
  { ownOperation, ownParameters, ownParametersType }: OperationSettings,
  evaluate: (setting: TypedValue) => Promise<unknown>,
): Promise<ChosenOperation> {
  if (!isNonBlankString(ownOperation))
    throw createNodeError('INPUT_MISSING', "No operation name. Enter it in the node's properties.");
  const value: unknown = (await evaluate({ value: ownParameters, type: ownParametersType })) ?? {};
  if (!isJsonObject(value))
    throw createNodeError('INPUT_INVALID', `Invalid parameters of ${ownOperation}: expected a JSON object.`);
  return { operation: ownOperation.trim(), parameters: { ...value } };
}
