import type { JobParameters } from '../kernel/messages.js';
import { ServiceError, type ServiceErrorCode } from '../service-error.js';

/**
 * A parameter of an operation: a case-insensitive choice, a name, any text or a bounded number. It is required unless
 * it has a default, is marked `isOptional`, or the parameter that replaces it is present.
 */
export type Parameter = ChoiceParameter | NameParameter | TextParameter | NumberParameter;

interface ParameterBase<T> {
  /** The value for an absent parameter. Default: the operation runs without one, or the parameter is required. */
  default?: T;
  isOptional?: true;
  /** The name of a parameter that replaces this one if it is present and not zero. */
  replacedBy?: string;
  /**
   * The value that a dialog proposes; `undefined` for an empty field. That of a parameter that is not required is what
   * the service does by itself: nodes omit it, because not every service supports the parameter.
   */
  proposed: T | undefined;
  /** The value of nodes that were saved before the parameter existed. Default: `proposed`. */
  legacyValue?: T;
  /** The meaning in `/openapi.json`. Default: the name is enough. */
  description?: string;
}

/** A parameter with a fixed set of values. */
export interface ChoiceParameter extends ParameterBase<string> {
  values: readonly string[];
}

/** A parameter with a name that is looked up. */
export interface NameParameter extends ParameterBase<string> {
  names: readonly string[];
  /** Returns the value that a text names, or `undefined`. */
  find(text: string): string | undefined;
  /** The error of an unknown name. */
  unknownCode: ServiceErrorCode;
  /** What to do if the parameter is missing, as a sentence. */
  missingRemedy?: string;
}

/** Any text that is not empty. */
export interface TextParameter extends ParameterBase<string> {
  maxLength: number;
}

/** A bounded number. `exclusiveMin`, `min` and `max` are as in JSON Schema. */
export interface NumberParameter extends ParameterBase<number> {
  isInteger: boolean;
  exclusiveMin?: number;
  min?: number;
  max: number;
  /** A word that may stand in place of a number. */
  word?: string;
}

/** Parameter name, on the wire and in the job → parameter. */
export type Parameters = Readonly<Record<string, Parameter>>;

/** The bounds of a length. 1 km: larger than any printed object or printer. */
export const LENGTH_MM = { isInteger: false, exclusiveMin: 0, max: 1e6 } as const;

/** Formats the allowed values of a parameter. */
export function describeParameter(parameter: Parameter): string {
  if ('values' in parameter) return `one of ${parameter.values.join(', ')}`;
  if ('names' in parameter) return `case-insensitive, one of ${parameter.names.join(', ')}`;
  if ('maxLength' in parameter) return `1 to ${parameter.maxLength} characters`;
  const { isInteger, exclusiveMin, min, max, word } = parameter;
  const range =
    exclusiveMin === undefined ? `from ${min ?? 0} to ${max}` : `greater than ${exclusiveMin}, at most ${max}`;
  return `${isInteger ? 'an integer' : 'a number'} ${range}${word === undefined ? '' : `, or ${word}`}`;
}

/** Returns whether every request may omit the parameter. */
export function canOmit(parameter: Parameter): boolean {
  return parameter.default !== undefined || parameter.isOptional === true;
}

/** Returns `value` if the parameter allows it, else `undefined`. */
export function checkNumber(value: number, parameter: NumberParameter): number | undefined {
  const { isInteger, exclusiveMin = Number.NEGATIVE_INFINITY, min = Number.NEGATIVE_INFINITY, max } = parameter;
  if (isInteger && !Number.isInteger(value)) return undefined;
  return value > exclusiveMin && value >= min && value <= max ? value : undefined;
}

/** Returns the value in the spelling of the table, or `undefined` if the parameter does not allow it. */
function readValue(value: unknown, parameter: Parameter): string | number | undefined {
  if ('isInteger' in parameter) {
    if (typeof value === 'number') return checkNumber(value, parameter);
    return typeof value === 'string' && value.toLowerCase() === parameter.word ? parameter.word : undefined;
  }
  if (typeof value !== 'string') return undefined;
  if ('names' in parameter) return parameter.find(value);
  if ('maxLength' in parameter) return value !== '' && value.length <= parameter.maxLength ? value : undefined;
  return parameter.values.find((choice) => choice.toLowerCase() === value.toLowerCase());
}

function createParameterError(name: string, value: unknown, parameter: Parameter): ServiceError {
  if (!('names' in parameter)) {
    const problem = value === undefined ? `Missing field ${name}` : `Invalid ${name}`;
    return new ServiceError('FIELD_INVALID', `${problem}: expected ${describeParameter(parameter)}.`);
  }
  const { names, unknownCode, missingRemedy = '' } = parameter;
  // The schema of the body refuses all other types.
  if (typeof value !== 'string') return new ServiceError('FIELD_INVALID', `Missing field ${name}. ${missingRemedy}`);
  const message = `Invalid ${name} "${value.slice(0, 40)}": expected one of ${names.join(', ')}.`;
  return new ServiceError(unknownCode, message);
}

/**
 * Reads the parameters from a body. Null counts as absent. Throws the error of the first one that is missing or
 * invalid: `FIELD_INVALID`, or the `unknownCode` of a name.
 */
export function readParameters(parameters: Parameters, body: object): JobParameters {
  const input = new Map<string, unknown>(Object.entries(body));
  const entries = Object.entries(parameters).flatMap(([name, parameter]) => {
    const isReplaced = parameter.replacedBy !== undefined && Boolean(input.get(parameter.replacedBy));
    const value = isReplaced ? undefined : (input.get(name) ?? parameter.default);
    if (value === undefined && (parameter.isOptional || isReplaced)) return [];
    const parsed = readValue(value, parameter);
    if (parsed === undefined) throw createParameterError(name, value, parameter);
    return [[name, parsed] as const];
  });
  return Object.fromEntries(entries);
}
