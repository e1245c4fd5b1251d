import { asRecord, isNonBlankString, type TypedValue, toNumber } from '../message/message-input.js';
import { createNodeError } from '../node/flow-error.js';
import { choiceField, type Field, type SettingsOf, textField } from '../node/settings.js';

/** The saved value of `operation` for a custom operation, with a name and JSON parameters. */
export const CUSTOM_OPERATION = 'other';

/** The operations in the dialog of *model operation*. *model process* offers them and `repair`. */
export const EXTENDED_OPERATIONS = [
  'analyze',
  'geometrical-repair',
  'shrinkwrap-repair',
  'scale',
  'reduce-triangles',
  'hollowing',
  'wall-thickness-analysis',
  'thumbnail',
] as const;

/** Parameter defaults by operation, for all operations in dialogs. The editor halves define the bounds of numbers. */
export const OPERATION_PARAMETERS = {
  analyze: {},
  repair: { innerShells: 'auto' },
  'geometrical-repair': {},
  'shrinkwrap-repair': { accuracy: 'Smooth' },
  scale: { axis: 'z', scaleToSizeMm: 100 },
  'reduce-triangles': { accuracyMm: 0.1, maxAngle: 15, numberOfIterations: 1 },
  hollowing: { wallThicknessMm: 2 },
  'wall-thickness-analysis': { minimalWallThicknessMm: 1, accuracyWallThickness: 2 },
  thumbnail: { width: 400, height: 300, cameraAngleX: 25, cameraAngleY: 0, cameraAngleZ: -35, background: 'plain' },
} satisfies Record<string, Record<string, number | string>>;

// Values that are not sent: they are the default of the service, and not every service supports the parameter.
const OMITTED_DEFAULTS: Readonly<Record<string, string>> = { innerShells: 'auto', background: 'plain' };

// Operations that are not in the table have no parameters.
function parametersOf(operation: string): Record<string, number | string> {
  return new Map<string, Record<string, number | string>>(Object.entries(OPERATION_PARAMETERS)).get(operation) ?? {};
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

/** Creates the properties for an operation and its parameters. The first operation is the default. */
export function operationFields<const T extends string>(first: T, ...others: T[]) {
  return {
    operation: choiceField<T | typeof CUSTOM_OPERATION>(first, ...others, CUSTOM_OPERATION),
    parameters: typedValues(),
    ownOperation: textField(),
    ownParameters: textField('{}'),
    ownParametersType: choiceField('json', 'msg', 'flow', 'global', 'env', 'jsonata'),
  };
}

/** The settings of an operation and its parameters. */
export type OperationSettings = SettingsOf<ReturnType<typeof operationFields<string>>>;

/** The operation and parameters that the settings select, without the id of the model. */
export interface ChosenOperation {
  operation: string;
  parameters: Record<string, unknown>;
}

/**
 * Reads the operation and evaluates its parameters. Throws `INPUT_MISSING` or `INPUT_INVALID` with the name of the
 * parameter.
 */
export async function readOperation(
  settings: Pick<OperationSettings, 'operation' | 'parameters'> | OperationSettings,
  evaluate: (setting: TypedValue) => Promise<unknown>,
): Promise<ChosenOperation> {
  if ('ownOperation' in settings && settings.operation === CUSTOM_OPERATION)
    return readCustomOperation(settings, evaluate);
  const parameters: Record<string, unknown> = {};
  for (const [name, defaultValue] of Object.entries(parametersOf(settings.operation))) {
    const setting = settings.parameters[name] ?? { value: String(defaultValue), type: 'str' };
    const value = readParameter(name, defaultValue, await evaluate(setting));
    if (OMITTED_DEFAULTS[name] !== value) parameters[name] = value;
  }
  return { operation: settings.operation, parameters };
}

function readParameter(name: string, defaultValue: number | string, value: unknown): number | string {
  if (value === undefined || value === null || value === '')
    throw createNodeError('INPUT_MISSING', `No value for ${name}. Enter one in the node's properties.`);
  if (typeof defaultValue === 'string') {
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
  const value = (await evaluate({ value: ownParameters, type: ownParametersType })) ?? {};
  if (typeof value !== 'object' || Array.isArray(value))
    throw createNodeError('INPUT_INVALID', `Invalid parameters of ${ownOperation}: expected a JSON object.`);
  return { operation: ownOperation.trim(), parameters: { ...value } };
}
