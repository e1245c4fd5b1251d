import { cross, dot } from '../../core/vec3.js';
import type { AffineTransform } from '../reading/affine-transform.js';
import { type StepFile, type StepRecord, type StepValue, toIds, toNumbers } from './step-file.js';

const MM_PER_METER = 1000;
/** Prefix of an SI unit → its factor. */
const PREFIXES = new Map([
  ['.EXA.', 1e18],
  ['.PETA.', 1e15],
  ['.TERA.', 1e12],
  ['.GIGA.', 1e9],
  ['.MEGA.', 1e6],
  ['.KILO.', 1e3],
  ['.HECTO.', 100],
  ['.DECA.', 10],
  ['.DECI.', 0.1],
  ['.CENTI.', 0.01],
  ['.MILLI.', 0.001],
  ['.MICRO.', 1e-6],
  ['.NANO.', 1e-9],
]);
/** Units that are defined by others nest at most so deep. */
const MAX_UNIT_DEPTH = 10;

/** Returns the values of the record of an instance with this keyword, or `undefined`. */
export function readRecord(file: StepFile, id: number | undefined, keyword: string): StepValue[] | undefined {
  return findRecord(file.read(id), keyword);
}

function findRecord(records: readonly StepRecord[], keyword: string): StepValue[] | undefined {
  return records.find((record) => record.keyword === keyword)?.values;
}

/** Returns the millimeters per unit of length in the context of a representation, or `undefined` without a unit. */
export function readUnitInMm(file: StepFile, context: number | undefined): number | undefined {
  const [units] = readRecord(file, context, 'GLOBAL_UNIT_ASSIGNED_CONTEXT') ?? [];
  for (const unit of toIds(units)) {
    const records = file.read(unit);
    if (findRecord(records, 'LENGTH_UNIT')) return toMm(file, records, 0);
  }
  return undefined;
}

function toMm(file: StepFile, records: readonly StepRecord[], depth: number): number | undefined {
  const [prefix, name] = findRecord(records, 'SI_UNIT') ?? [];
  if (name === '.METRE.') return (typeof prefix === 'string' ? (PREFIXES.get(prefix) ?? 1) : 1) * MM_PER_METER;
  const [, definition] = findRecord(records, 'CONVERSION_BASED_UNIT') ?? [];
  const [measure] = toIds(definition).flatMap((id) => file.read(id));
  const [value, unit] = measure?.values ?? [];
  const factor = typeof value === 'object' && value !== null && 'keyword' in value ? value.values[0] : value;
  const [base] = toIds(unit);
  if (typeof factor !== 'number' || base === undefined || depth > MAX_UNIT_DEPTH) return undefined;
  const baseInMm = toMm(file, file.read(base), depth + 1);
  return baseInMm === undefined ? undefined : factor * baseInMm;
}

/** Reads an `AXIS2_PLACEMENT_3D` as a transform whose translation is scaled; `undefined` for any other instance. */
export function parseAxisPlacement(file: StepFile, id: number | undefined, scale: number): AffineTransform | undefined {
  const values = readRecord(file, id, 'AXIS2_PLACEMENT_3D');
  if (!values) return undefined;
  const [location, axis, reference] = values.slice(1).map((value) => {
    return toVector(file.read(toIds(value)[0])[0]?.values[1]);
  });
  const z = normalize(axis) ?? [0, 0, 1];
  const direction = normalize(reference) ?? (Math.abs(z[0]) < 0.9 ? [1, 0, 0] : [0, 0, 1]);
  const along = dot(direction, z);
  const x = normalize(direction.map((value, k) => value - along * z[k])) ?? [1, 0, 0];
  return [...x, ...cross(z, x), ...z, ...(location ?? [0, 0, 0]).map((value) => value * scale)];
}

/** Returns the inverse of a placement, which only rotates and moves. */
export function invertPlacement(t: AffineTransform): AffineTransform {
  const move = (k: number): number => -(t[9] * t[k * 3] + t[10] * t[k * 3 + 1] + t[11] * t[k * 3 + 2]);
  return [t[0], t[3], t[6], t[1], t[4], t[7], t[2], t[5], t[8], move(0), move(1), move(2)];
}

function toVector(value: StepValue | undefined): number[] | undefined {
  const { numbers } = toNumbers(value);
  return numbers.length === 3 ? Array.from(numbers) : undefined;
}

function normalize(vector: readonly number[] | undefined): number[] | undefined {
  const length = Math.hypot(...(vector ?? []));
  return length > 1e-12 ? vector?.map((value) => value / length) : undefined;
}
