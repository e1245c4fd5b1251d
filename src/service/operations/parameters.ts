import type { JobParameters } from '../kernel/messages.js';
import { ServiceError } from '../service-error.js';

/**
 * A parameter of an operation: one of a few words, without regard to case, or a number within bounds. Required where it has no default, and
 * may not be left out (`isOptional`).
 */
export type Parameter = ChoiceParameter | NumberParameter;

export interface ChoiceParameter {
  values: readonly string[];
  default?: string;
  isOptional?: true;
}

export interface NumberParameter {
  isInteger: boolean;
  exclusiveMin?: number;
  min?: number;
  max: number;
  default?: number;
  isOptional?: true;
}

/** The parameters of an operation by their names on the wire, which are those that its job knows. */
export type Parameters = { readonly [Name in keyof JobParameters]?: Parameter };

const ANGLE: Parameter = { isInteger: true, min: -360, max: 360 };
const PIXELS: Parameter = { isInteger: true, min: 1, max: 4096 };
// Nothing that is printed, nor a machine that prints, is larger.
const LENGTH_MM: NumberParameter = { isInteger: false, exclusiveMin: 0, max: 1e6 };

/** What an import may be told of the meshing of curved surfaces, besides the unit. Files that hold triangles need none of it. */
export const MESHING_PARAMETERS = {
  accuracyMm: { ...LENGTH_MM, isOptional: true },
  maxAngle: { isInteger: false, min: 1, max: 90, isOptional: true },
} satisfies Record<string, NumberParameter>;

/** What the operations of the API beyond those that every service has may be told, by their names. */
export const EXTENDED_PARAMETERS = {
  'geometrical-repair': {},
  'shrinkwrap-repair': { accuracy: { values: ['Rough', 'Smooth', 'Detailed'] } },
  scale: { axis: { values: ['x', 'y', 'z'] }, scaleToSizeMm: LENGTH_MM },
  'reduce-triangles': {
    accuracyMm: LENGTH_MM,
    maxAngle: { isInteger: true, min: 0, max: 180 },
    numberOfIterations: { isInteger: true, min: 1, max: 1000 },
  },
  hollowing: { wallThicknessMm: LENGTH_MM },
  'wall-thickness-analysis': {
    minimalWallThicknessMm: LENGTH_MM,
    accuracyWallThickness: { isInteger: true, min: 0, max: 100 },
  },
  thumbnail: {
    width: PIXELS,
    height: PIXELS,
    cameraAngleX: ANGLE,
    cameraAngleY: ANGLE,
    cameraAngleZ: ANGLE,
    background: { values: ['plain', 'transparent'], default: 'plain' },
  },
} satisfies Record<string, Parameters>;

/** What a value of this parameter may be, in words. */
export function describeParameter(parameter: Parameter): string {
  if ('values' in parameter) return `one of ${parameter.values.join(', ')}`;
  const { isInteger, exclusiveMin, min, max } = parameter;
  const from = exclusiveMin === undefined ? `from ${min ?? 0}` : `above ${exclusiveMin}, at most`;
  return `a ${isInteger ? 'whole number' : 'number'} ${from} ${exclusiveMin === undefined ? 'to ' : ''}${max}`;
}

/** The number, if it is one that the parameter may be. */
export function checkNumber(value: number, parameter: NumberParameter): number | undefined {
  const { isInteger, exclusiveMin = Number.NEGATIVE_INFINITY, min = Number.NEGATIVE_INFINITY, max } = parameter;
  if (isInteger && !Number.isInteger(value)) return undefined;
  return value > exclusiveMin && value >= min && value <= max ? value : undefined;
}

/** The value as the job knows it; `undefined` for one that it may not be. */
function readValue(value: unknown, parameter: Parameter): string | number | undefined {
  if (!('values' in parameter)) return typeof value === 'number' ? checkNumber(value, parameter) : undefined;
  return typeof value === 'string'
    ? parameter.values.find((one) => one.toLowerCase() === value.toLowerCase())
    : undefined;
}

/** Reads the parameters from a body; null counts as absent. Throws `FIELD_INVALID` for the first that is missing or wrong. */
export function readParameters(parameters: Parameters, body: object): JobParameters {
  const input = new Map<string, unknown>(Object.entries(body));
  const entries = Object.entries(parameters).flatMap(([name, parameter]) => {
    const value = input.get(name) ?? parameter.default;
    if (value === undefined && parameter.isOptional) return [];
    const read = readValue(value, parameter);
    if (read !== undefined) return [[name, read]];
    const what = value === undefined ? 'is missing in the body: it' : 'is not what it may be: it';
    throw new ServiceError('FIELD_INVALID', `${name} ${what} is ${describeParameter(parameter)}`);
  });
  return Object.fromEntries(entries); // names and values are those of the table, which is one of JobParameters
}
