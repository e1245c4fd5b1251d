import { type Static, type TProperties, Type } from 'typebox';
import { Check } from 'typebox/value';

function integerFrom(minimum: number) {
  return Type.Integer({ minimum, maximum: 1e9 });
}
const when = {
  /** The first time that it befalls what it is for. Default 1. */
  at: Type.Optional(integerFrom(1)),
  /** How often from then on. Default 1. */
  times: Type.Optional(integerFrom(1)),
};
const Path = Type.Optional(Type.String());
const Operation = Type.Optional(Type.String());

function fault<N extends string, P extends TProperties>(name: N, properties: P) {
  return Type.Object({ fault: Type.Literal(name), ...properties, ...when }, { additionalProperties: false });
}

// `path` is a part of the address, without regard to case; without it every request is meant.
const FAULTS = {
  delay: fault('delay', { path: Path, ms: integerFrom(1) }),
  status: fault('status', {
    path: Path,
    status: Type.Union([Type.Literal(429), Type.Literal(503)]),
    retryAfter: Type.Optional(integerFrom(0)),
  }),
  'expire-tokens': fault('expire-tokens', { path: Path }),
  'slow-download': fault('slow-download', { bytesPerSecond: integerFrom(1) }),
  'cut-download': fault('cut-download', { afterBytes: integerFrom(0) }),
  'fail-operation': fault('fail-operation', { operation: Operation }),
  'lose-callback': fault('lose-callback', {}),
  'delay-callback': fault('delay-callback', { ms: integerFrom(1) }),
  'double-callback': fault('double-callback', {}),
};

type Faults = { [N in keyof typeof FAULTS]: Static<(typeof FAULTS)[N]> };

export type FaultName = keyof Faults;

/** One thing that is to go wrong, and when. */
export type Fault<N extends FaultName = FaultName> = Faults[N];

function isName(name: unknown): name is FaultName {
  return typeof name === 'string' && Object.hasOwn(FAULTS, name);
}

/** Makes the error for faults that cannot be read, of what is wrong with them. */
type CreateError = (what: string) => Error;

function parseFault(value: unknown, index: number, refuse: CreateError): Fault {
  const { fault: name }: { fault?: unknown } = Object(value);
  if (!isName(name)) {
    throw refuse(`entry ${index + 1} has none of the faults ${Object.keys(FAULTS).join(', ')}`);
  }
  if (!Check(FAULTS[name], value)) {
    const fields = Object.keys(FAULTS[name].properties).join(', ');
    throw refuse(`entry ${index + 1}: a ${name} has the fields ${fields}`);
  }
  return value as Fault; // it passed the check of its name
}

/** Reads a JSON list of faults. Throws what `refuse` makes. */
export function parseFaults(text: string, refuse: CreateError): Fault[] {
  let list: unknown;
  try {
    list = JSON.parse(text);
  } catch {
    throw refuse('this is no JSON');
  }
  if (!Array.isArray(list)) throw refuse('this is no list');
  return list.map((value, index) => parseFault(value, index, refuse));
}
