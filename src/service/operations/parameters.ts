import type { JobParameters } from '../jobs/messages.js';
import { ServiceError } from '../service-error.js';

/**
 * A parameter of an operation: one of a few words, without regard to case, or a number within bounds. Required where it has no default, and
 * may not be left out (`isOptional`).
 */
export type Parameter = WordParameter | NumberParameter;

export interface WordParameter {
  values: readonly string[];
  default?: string;
  isOptional?: true;
}

export interface NumberParameter {
  isWhole: boolean;
  above?: number;
  least?: number;
  most: number;
  default?: number;
  isOptional?: true;
}

/** The parameters of an operation by their names on the wire, which are those that its job knows. */
export type Parameters = { readonly [Name in keyof JobParameters]?: Parameter };

const ANGLE: Parameter = { isWhole: true, least: -360, most: 360 };
const PIXELS: Parameter = { isWhole: true, least: 1, most: 4096 };
// Nothing that is printed, nor a machine that prints, is larger.
const LENGTH_MM: NumberParameter = { isWhole: false, above: 0, most: 1e6 };

/** What an import may be told of the meshing of curved surfaces, besides the unit. Files that hold triangles need none of it. */
export const MESHING_PARAMETERS = {
  accuracyMm: { ...LENGTH_MM, isOptional: true },
  maxAngle: { isWhole: false, least: 1, most: 90, isOptional: true },
} satisfies Record<string, NumberParameter>;

/** What the operations of the API beyond those that every service has may be told, by their names. */
export const FURTHER_PARAMETERS = {
  'geometrical-repair': {},
  'shrinkwrap-repair': { accuracy: { values: ['Rough', 'Smooth', 'Detailed'] } },
  scale: { axis: { values: ['x', 'y', 'z'] }, scaleToSizeMm: LENGTH_MM },
  'reduce-triangles': {
    accuracyMm: LENGTH_MM,
    maxAngle: { isWhole: true, least: 0, most: 180 },
    numberOfIterations: { isWhole: true, least: 1, most: 1000 },
  },
  hollowing: { wallThicknessMm: LENGTH_MM },
  'wall-thickness-analysis': {
    minimalWallThicknessMm: LENGTH_MM,
    accuracyWallThickness: { isWhole: true, least: 0, most: 100 },
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
export const describeParameter = (parameter: Parameter): string => {
  if ('values' in parameter) return `one of ${parameter.values.join(', ')}`;
  const { isWhole, above, least, most } = parameter;
  const from = above === undefined ? `from ${least ?? 0}` : `above ${above}, at most`;
  return `a ${isWhole ? 'whole number' : 'number'} ${from} ${above === undefined ? 'to ' : ''}${most}`;
};

/** The number, if it is one that the parameter may be. */
export const readNumber = (value: number, parameter: NumberParameter): number | undefined => {
  const { isWhole, above = Number.NEGATIVE_INFINITY, least = Number.NEGATIVE_INFINITY, most } = parameter;
  if (isWhole && !Number.isInteger(value)) return undefined;
  return value > above && value >= least && value <= most ? value : undefined;
};

/** The value as the job knows it; `undefined` for one that it may not be. */
const readValue = (value: unknown, parameter: Parameter): string | number | undefined => {
  if (!('values' in parameter)) return typeof value === 'number' ? readNumber(value, parameter) : undefined;
  return typeof value === 'string'
    ? parameter.values.find((one) => one.toLowerCase() === value.toLowerCase())
    : undefined;
};

/** Reads the parameters from a body; null counts as absent. Throws `FIELD_INVALID` for the first that is missing or wrong. */
export const readParameters = (parameters: Parameters, body: object): JobParameters => {
  const given = new Map<string, unknown>(Object.entries(body));
  const entries = Object.entries(parameters).flatMap(([name, parameter]) => {
    const value = given.get(name) ?? parameter.default;
    if (value === undefined && parameter.isOptional) return [];
    const read = readValue(value, parameter);
    if (read !== undefined) return [[name, read]];
    const what = value === undefined ? 'is missing in the body: it' : 'is not what it may be: it';
    throw new ServiceError('FIELD_INVALID', `${name} ${what} is ${describeParameter(parameter)}`);
  });
  return Object.fromEntries(entries); // names and values are those of the table, which is one of JobParameters
};
