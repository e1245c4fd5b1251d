import { asRecord, isNonBlankString, type TypedValue, toNumber } from '../message/message-input.js';
import { isJsonObject } from '../node/field-rules.js';
import { createNodeError } from '../node/flow-error.js';
import type { NodeInput } from '../node/node-input.js';
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

/** Typed inputs by parameter name. */
export type TypedValues = Readonly<Record<string, TypedValue>>;

/**
 * The parameters of a new node or step that repairs. Those that nodes of earlier versions did not save are in it, since such
 * nodes do as before.
 */
export const NEW_REPAIR_PARAMETERS: TypedValues = { parts: { value: 'keep', type: 'str' } };

/**
 * Creates a property for typed inputs by parameter name. Saved values that are not typed inputs are skipped. `value`: those
 * of new nodes.
 */
export function typedValues(value: TypedValues = {}): Field<TypedValues> {
  return {
    value,
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

/** The input of a node, as far as `readOperation` needs it. */
type ReadInput = Pick<NodeInput<unknown>, 'evaluate' | 'connection'>;

/**
 * Reads the operation and evaluates its parameters. A parameter that was not saved has its legacy value, if the service
 * announces its operations: others may not know it. Throws `INPUT_MISSING` or `INPUT_INVALID` with the name of the
 * parameter.
 */
export async function readOperation(
  settings: Pick<OperationSettings, 'operation' | 'parameters'> | OperationSettings,
  { evaluate, connection }: ReadInput,
): Promise<ChosenOperation> {
  const operation = requireOperation(settings.operation);
  if ('ownOperation' in settings && operation === CUSTOM_OPERATION) return readCustomOperation(settings, evaluate);
  const parameters: Record<string, unknown> = {};
  for (const [name, { proposed, isOptional, legacyValue }] of Object.entries(parametersOf(operation))) {
    const hasLegacyValue =
      legacyValue !== undefined &&
      settings.parameters[name] === undefined &&
      (await connection.operationNames.current()).length > 0;
    const unsaved = { value: String(hasLegacyValue ? legacyValue : proposed), type: 'str' };
    const setting = settings.parameters[name] ?? unsaved;
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
