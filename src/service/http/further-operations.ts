import { OPERATION_KINDS } from '../operations/kinds.js';
import { ServiceError } from '../service-error.js';

/** A parameter of an operation: one of a few words, without regard to case, or a number within bounds. */
export type Parameter =
  | { values: readonly string[] }
  | { isWhole: boolean; above?: number; least?: number; most: number };

/** An operation of the API that takes a model, and its parameters, all of them required. */
export interface FurtherOperation {
  name: string;
  parameters: Record<string, Parameter>;
}

const ANGLE: Parameter = { isWhole: true, least: -360, most: 360 };
const PIXELS: Parameter = { isWhole: true, least: 1, most: 4096 };
// Nothing that is printed, nor a machine that prints, is larger.
const LENGTH_MM: Parameter = { isWhole: false, above: 0, most: 1e6 };

/** The operations of the API beyond those that every service has. */
const FURTHER_OPERATIONS: readonly FurtherOperation[] = [
  { name: 'geometrical-repair', parameters: {} },
  { name: 'shrinkwrap-repair', parameters: { accuracy: { values: ['Rough', 'Smooth', 'Detailed'] } } },
  { name: 'scale', parameters: { axis: { values: ['x', 'y', 'z'] }, scaleToSizeMm: LENGTH_MM } },
  {
    name: 'reduce-triangles',
    parameters: {
      accuracyMm: LENGTH_MM,
      maxAngle: { isWhole: true, least: 0, most: 180 },
      numberOfIterations: { isWhole: true, least: 1, most: 1000 },
    },
  },
  { name: 'hollowing', parameters: { wallThicknessMm: LENGTH_MM } },
  {
    name: 'wall-thickness-analysis',
    parameters: { minimalWallThicknessMm: LENGTH_MM, accuracyWallThickness: { isWhole: true, least: 0, most: 100 } },
  },
  {
    name: 'thumbnail',
    parameters: { width: PIXELS, height: PIXELS, cameraAngleX: ANGLE, cameraAngleY: ANGLE, cameraAngleZ: ANGLE },
  },
];

/** Those that this service knows by name, but that its kernel cannot run. */
export const UNAVAILABLE_OPERATIONS: readonly FurtherOperation[] = FURTHER_OPERATIONS.filter(
  ({ name }) => !OPERATION_KINDS.some((kind) => kind.name === name),
);

/** What a value of this parameter may be, in words. */
export const describeParameter = (parameter: Parameter): string => {
  if ('values' in parameter) return `one of ${parameter.values.join(', ')}`;
  const { isWhole, above, least, most } = parameter;
  const from = above === undefined ? `from ${least ?? 0}` : `above ${above}, at most`;
  return `a ${isWhole ? 'whole number' : 'number'} ${from} ${above === undefined ? 'to ' : ''}${most}`;
};

const isGood = (value: unknown, parameter: Parameter): boolean => {
  if ('values' in parameter) {
    return typeof value === 'string' && parameter.values.some((one) => one.toLowerCase() === value.toLowerCase());
  }
  if (typeof value !== 'number' || (parameter.isWhole && !Number.isInteger(value))) return false;
  const { above = Number.NEGATIVE_INFINITY, least = Number.NEGATIVE_INFINITY, most } = parameter;
  return value > above && value >= least && value <= most;
};

/** Throws `FIELD_INVALID` for the first parameter in the body that is missing or wrong. */
export const checkParameters = ({ parameters }: FurtherOperation, body: object): void => {
  const given = new Map<string, unknown>(Object.entries(body));
  for (const [name, parameter] of Object.entries(parameters)) {
    const value = given.get(name) ?? undefined;
    if (isGood(value, parameter)) continue;
    const what = value === undefined ? 'is missing in the body: it' : 'is not what it may be: it';
    throw new ServiceError('FIELD_INVALID', `${name} ${what} is ${describeParameter(parameter)}`);
  }
};
