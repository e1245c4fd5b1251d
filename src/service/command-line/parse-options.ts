import { parseArgs } from 'node:util';
import { StartError } from '../start-error.js';

/** What a command understands: a text or a switch by its long name, and perhaps a short one. */
export type OptionTable = Record<string, { type: 'string' | 'boolean'; short?: string }>;

/** What was said: options by their long names, and the rest. */
export interface ParsedOptions {
  stringValues: Map<string, string>;
  flags: Set<string>;
  positionals: string[];
}

/** `--disk-quota` may also be said as MODEL_PROCESSING_DISK_QUOTA. */
function variableOf(option: string): string {
  return `MODEL_PROCESSING_${option.toUpperCase().replaceAll('-', '_')}`;
}

function isOn(value: string): boolean {
  return !['', '0', 'false', 'no', 'off'].includes(value.trim().toLowerCase());
}

function usage(message: string): StartError {
  return new StartError('USAGE', message);
}

function parse(args: readonly string[], table: OptionTable) {
  try {
    return parseArgs({ args: [...args], options: table, allowPositionals: true, strict: true });
  } catch (error) {
    // Node's first sentence says what is wrong; the next one advises on its own function.
    const [what = ''] = (error instanceof Error ? error.message : String(error)).split(/\. |\.?\n/);
    throw usage(`${what} (--help lists the options)`);
  }
}

/** Reads a command line; what it does not say is taken from the environment. Throws `USAGE`. */
export function parseOptions(
  args: readonly string[],
  table: OptionTable,
  environment: Readonly<Record<string, string | undefined>>,
): ParsedOptions {
  const { values, positionals } = parse(args, table);
  const stringValues = new Map<string, string>();
  const flags = new Set<string>();
  for (const [name, { type }] of Object.entries(table)) {
    const text = values[name] ?? environment[variableOf(name)];
    if (text === undefined) continue;
    if (type === 'string') {
      if (String(text) !== '') stringValues.set(name, String(text));
    } else if (isOn(String(text))) {
      flags.add(name);
    }
  }
  return { stringValues, flags, positionals: positionals };
}

/** A whole number from `min` to `max`; `undefined` where nothing was said. */
export function readInteger(
  { stringValues }: ParsedOptions,
  name: string,
  min: number,
  max: number,
): number | undefined {
  const text = stringValues.get(name);
  if (text === undefined) return undefined;
  const value = Number(text);
  if (Number.isInteger(value) && value >= min && value <= max) return value;
  throw usage(`--${name} is a whole number from ${min} to ${max}, not "${text}"`);
}

const UNITS = ['b', 'k', 'm', 'g', 't'];

/** A size in bytes: a number, or one with K, M, G or T (powers of 1024; `MB` and `MiB` mean the same). */
export function readByteSize({ stringValues }: ParsedOptions, name: string, minBytes: number): number | undefined {
  const text = stringValues.get(name);
  if (text === undefined) return undefined;
  const [, digits = '', unit = 'b'] = /^(\d+(?:\.\d+)?) *([bkmgt])?(?:i?b)?$/i.exec(text.trim()) ?? [];
  const bytes = Math.floor(Number(digits) * 1024 ** UNITS.indexOf(unit.toLowerCase()));
  if (digits !== '' && bytes >= minBytes) return bytes;
  throw usage(`--${name} is a size such as 512M or 4G, at least ${Math.ceil(minBytes / 1024 ** 2)}M, not "${text}"`);
}
