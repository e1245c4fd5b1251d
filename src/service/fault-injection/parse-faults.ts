import { type Static, type TProperties, Type } from 'typebox';
import { Check } from 'typebox/value';

function integerFrom(minimum: number) {
  return Type.Integer({ minimum, maximum: 1e9 });
}

const OCCURRENCE = {
  /** The first event to inject the fault into, counted from 1. Default: 1. */
  at: Type.Optional(integerFrom(1)),
  /** The number of events from then on. Default: 1. */
  times: Type.Optional(integerFrom(1)),
};
const Path = Type.Optional(Type.String());
const Operation = Type.Optional(Type.String());

function faultSchema<N extends string, P extends TProperties>(name: N, properties: P) {
  return Type.Object({ fault: Type.Literal(name), ...properties, ...OCCURRENCE }, { additionalProperties: false });
}

// `path` is a case-insensitive part of the URL. Without it the fault applies to every request.
const FAULTS = {
  delay: faultSchema('delay', { path: Path, ms: integerFrom(1) }),
  status: faultSchema('status', {
    path: Path,
    status: Type.Union([Type.Literal(429), Type.Literal(503)]),
    retryAfter: Type.Optional(integerFrom(0)),
  }),
  'expire-tokens': faultSchema('expire-tokens', { path: Path }),
  'slow-download': faultSchema('slow-download', { bytesPerSecond: integerFrom(1) }),
  'cut-download': faultSchema('cut-download', { afterBytes: integerFrom(0) }),
  'fail-operation': faultSchema('fail-operation', { operation: Operation }),
  'lose-callback': faultSchema('lose-callback', {}),
  'delay-callback': faultSchema('delay-callback', { ms: integerFrom(1) }),
  'double-callback': faultSchema('double-callback', {}),
};

type Faults = { [N in keyof typeof FAULTS]: Static<(typeof FAULTS)[N]> };

/** The name of a fault. */
export type FaultName = keyof Faults;

/** One fault of a plan, and the events to inject it into. */
export type Fault<N extends FaultName = FaultName> = Faults[N];

function isValidName(name: unknown): name is FaultName {
  return typeof name === 'string' && Object.hasOwn(FAULTS, name);
}

/** Creates the error for an invalid list of faults. */
type CreateError = (reason: string) => Error;

function parseFault(value: unknown, index: number, createError: CreateError): Fault {
  const { fault: name }: { fault?: unknown } = Object(value);
  if (!isValidName(name)) {
    throw createError(`entry ${index + 1}: expected "fault" to be one of ${Object.keys(FAULTS).join(', ')}`);
  }
  if (!Check(FAULTS[name], value)) {
    const fields = Object.keys(FAULTS[name].properties).join(', ');
    throw createError(`entry ${index + 1}: expected the fields ${fields} of ${name}`);
  }
  return value as Fault; // checked against the schema of its name
}

/** Parses a JSON array of faults. Throws the error of `createError` if it is invalid. */
export function parseFaults(text: string, createError: CreateError): Fault[] {
  let list: unknown;
  try {
    list = JSON.parse(text);
  } catch {
    throw createError('expected JSON');
  }
  if (!Array.isArray(list)) throw createError('expected an array');
  return list.map((value, index) => parseFault(value, index, createError));
}
