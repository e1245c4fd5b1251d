import type { JobParameters } from '../kernel/messages.js';
import { ServiceError } from '../service-error.js';

/**
 * A parameter of an operation: a case-insensitive choice or a bounded number. It is required unless it has a default or
 * is marked `isOptional`.
 */
export type Parameter = ChoiceParameter | NumberParameter;

/** A parameter with a fixed set of values. */
export interface ChoiceParameter {
  values: readonly string[];
  default?: string;
  isOptional?: true;
}

/** A bounded number. `exclusiveMin`, `min` and `max` are as in JSON Schema. */
export interface NumberParameter {
  isInteger: boolean;
  exclusiveMin?: number;
  min?: number;
  max: number;
  default?: number;
  isOptional?: true;
}

/** Parameter name, on the wire and in the job → parameter. */
export type Parameters = { readonly [Name in keyof JobParameters]?: Parameter };

const ANGLE: Parameter = { isInteger: true, min: -360, max: 360 };
const PIXELS: Parameter = { isInteger: true, min: 1, max: 4096 };
// 1 km: larger than any printed object or printer.
const LENGTH_MM: NumberParameter = { isInteger: false, exclusiveMin: 0, max: 1e6 };

/** The import parameters for the meshing of curved surfaces. Files that contain triangles ignore them. */
export const MESHING_PARAMETERS = {
  accuracyMm: { ...LENGTH_MM, isOptional: true },
  maxAngle: { isInteger: false, min: 1, max: 90, isOptional: true },
} satisfies Record<string, NumberParameter>;

/** Name of an extended operation → its parameters. */
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

/** Formats the allowed values of a parameter. */
export function describeParameter(parameter: Parameter): string {
  if ('values' in parameter) return `one of ${parameter.values.join(', ')}`;
  const { isInteger, exclusiveMin, min, max } = parameter;
  const range =
    exclusiveMin === undefined ? `from ${min ?? 0} to ${max}` : `greater than ${exclusiveMin}, at most ${max}`;
  return `${isInteger ? 'an integer' : 'a number'} ${range}`;
}

/** Returns `value` if the parameter allows it, else `undefined`. */
export function checkNumber(value: number, parameter: NumberParameter): number | undefined {
  const { isInteger, exclusiveMin = Number.NEGATIVE_INFINITY, min = Number.NEGATIVE_INFINITY, max } = parameter;
  if (isInteger && !Number.isInteger(value)) return undefined;
  return value > exclusiveMin && value >= min && value <= max ? value : undefined;
}

/** Returns the value in the spelling of the table, or `undefined` if the parameter does not allow it. */
function readValue(value: unknown, parameter: Parameter): string | number | undefined {
  if (!('values' in parameter)) return typeof value === 'number' ? checkNumber(value, parameter) : undefined;
  return typeof value === 'string'
    ? parameter.values.find((choice) => choice.toLowerCase() === value.toLowerCase())
    : undefined;
}

/**
 * Reads the parameters from a body. Null counts as absent. Throws `FIELD_INVALID` for the first one that is missing or
 * invalid.
 */
export function readParameters(parameters: Parameters, body: object): JobParameters {
  const input = new Map<string, unknown>(Object.entries(body));
  const entries = Object.entries(parameters).flatMap(([name, parameter]) => {
    const value = input.get(name) ?? parameter.default;
    if (value === undefined && parameter.isOptional) return [];
    const parsed = readValue(value, parameter);
    if (parsed !== undefined) return [[name, parsed]];
    const problem = value === undefined ? `Missing field ${name}` : `Invalid ${name}`;
    throw new ServiceError('FIELD_INVALID', `${problem}: expected ${describeParameter(parameter)}.`);
  });
  return Object.fromEntries(entries); // the table has the names and value types of JobParameters
}
