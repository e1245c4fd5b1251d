import { asRecord, isNonBlankString, type TypedValue, toNumber } from '../message/message-input.js';
import { createNodeError } from '../node/flow-error.js';
import { choiceField, type Field, type SettingsOf, textField } from '../node/settings.js';

/** An operation of a name and parameters that the flow's author knows of. */
export const CUSTOM_OPERATION = 'other';

/** The operations that a model operation offers, and a process beside the repair. */
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

/** The operations that dialogs offer, with the default of each parameter: a number or a word. Editor halves say their bounds. */
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

// Words that mean what a service does anyway: they are not sent, since not every service knows the parameter.
const OMITTED_DEFAULTS: Readonly<Record<string, string>> = { innerShells: 'auto', background: 'plain' };

/** A service may offer more operations than this table: those are not in it. */
function parametersOf(operation: string): Record<string, number | string> {
  return new Map<string, Record<string, number | string>>(Object.entries(OPERATION_PARAMETERS)).get(operation) ?? {};
}

/** The typed inputs of a dialog by the name of their parameter. What is no typed input is left out. */
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

/** What is saved of an operation and its parameters, whatever starts it. */
export function operationFields<const T extends string>(first: T, ...others: T[]) {
  return {
    operation: choiceField<T | typeof CUSTOM_OPERATION>(first, ...others, CUSTOM_OPERATION),
    parameters: typedValues(),
    ownOperation: textField(),
    ownParameters: textField('{}'),
    ownParametersType: choiceField('json', 'msg', 'flow', 'global', 'env', 'jsonata'),
  };
}

export type OperationSettings = SettingsOf<ReturnType<typeof operationFields<string>>>;

/** An operation as it is started: but for the id of its model. */
export interface ChosenOperation {
  operation: string;
  parameters: Record<string, unknown>;
}

/** Reads which operation is chosen, and its parameters. `INPUT_MISSING`, `INPUT_INVALID`, naming the parameter. */
export async function readOperation(
  settings: Pick<OperationSettings, 'operation' | 'parameters'> | OperationSettings,
  evaluate: (setting: TypedValue) => Promise<unknown>,
): Promise<ChosenOperation> {
  if ('ownOperation' in settings && settings.operation === CUSTOM_OPERATION)
    return readCustomOperation(settings, evaluate);
  const parameters: Record<string, unknown> = {};
  for (const [name, preset] of Object.entries(parametersOf(settings.operation))) {
    const setting = settings.parameters[name] ?? { value: String(preset), type: 'str' };
    const value = readParameter(name, preset, await evaluate(setting));
    if (OMITTED_DEFAULTS[name] !== value) parameters[name] = value;
  }
  return { operation: settings.operation, parameters };
}

function readParameter(name: string, preset: number | string, value: unknown): number | string {
  if (value === undefined || value === null || value === '')
    throw createNodeError('INPUT_MISSING', `${name} is missing: its setting holds nothing`);
  if (typeof preset === 'string') {
    if (isNonBlankString(value)) return value.trim();
    throw createNodeError('INPUT_INVALID', `${name} should be a word, but is of type ${typeof value}`);
  }
  return toNumber(name, value);
}

async function readCustomOperation(
  { ownOperation, ownParameters, ownParametersType }: OperationSettings,
  evaluate: (setting: TypedValue) => Promise<unknown>,
): Promise<ChosenOperation> {
  if (!isNonBlankString(ownOperation))
    throw createNodeError('INPUT_MISSING', 'the name of the operation is missing: enter it');
  const value = (await evaluate({ value: ownParameters, type: ownParametersType })) ?? {};
  if (typeof value !== 'object' || Array.isArray(value))
    throw createNodeError('INPUT_INVALID', `the parameters of ${ownOperation} should be an object of JSON`);
  return { operation: ownOperation.trim(), parameters: { ...value } };
}
