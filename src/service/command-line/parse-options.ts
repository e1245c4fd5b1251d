import { parseArgs } from 'node:util';
import { StartError } from '../start-error.js';
import { expandHome, isUrl } from './local-path.js';

/** Long option name → its type and optional short name. `isPath`: `~` is the home folder, and a URL is refused. */
export type OptionTable = Record<string, { type: 'string' | 'boolean'; short?: string; isPath?: true }>;

/** The parsed options by their long names, and the positional arguments. */
export interface ParsedOptions {
  stringValues: Map<string, string>;
  flags: Set<string>;
  positionals: string[];
  /** The options that the command line sets, and not the environment. */
  argumentNames: ReadonlySet<string>;
}

/** Returns the environment variable of an option: `disk-quota` → MODEL_PROCESSING_DISK_QUOTA. */
function toVariableName(option: string): string {
  return `MODEL_PROCESSING_${option.toUpperCase().replaceAll('-', '_')}`;
}

function isOn(value: string): boolean {
  return !['', '0', 'false', 'no', 'off'].includes(value.trim().toLowerCase());
}

function usageError(message: string): StartError {
  return new StartError('USAGE', message);
}

function parse(args: readonly string[], table: OptionTable) {
  try {
    return parseArgs({ args: [...args], options: table, allowPositionals: true, strict: true });
  } catch (error) {
    // The first sentence of Node's message names the error; the next one is about parseArgs itself.
    const [reason = ''] = (error instanceof Error ? error.message : String(error)).split(/\. |\.?\n/);
    throw usageError(`${reason}. See --help.`);
  }
}

/** Returns a path with `~` expanded. `name` names it in the error for a URL. Throws `USAGE`. */
export function readPath(name: string, text: string): string {
  if (!isUrl(text)) return expandHome(text);
  throw usageError(`Invalid ${name} "${text}": expected a path, not a URL.`);
}

/** Parses a command line. Options that it does not set are read from the environment. Throws `USAGE`. */
export function parseOptions(
  args: readonly string[],
  table: OptionTable,
  environment: Readonly<Record<string, string | undefined>>,
): ParsedOptions {
  const { values, positionals } = parse(args, table);
  const stringValues = new Map<string, string>();
  const flags = new Set<string>();
  for (const [name, { type, isPath }] of Object.entries(table)) {
    const text = values[name] ?? environment[toVariableName(name)];
    if (text === undefined) continue;
    if (type === 'string') {
      if (String(text) !== '') stringValues.set(name, isPath ? readPath(`--${name}`, String(text)) : String(text));
    } else if (isOn(String(text))) {
      flags.add(name);
    }
  }
  return { stringValues, flags, positionals, argumentNames: new Set(Object.keys(values)) };
}

/** Returns an option as an integer from `min` to `max`, or `undefined` if it is not set. Throws `USAGE`. */
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
  throw usageError(`Invalid --${name} "${text}": expected an integer from ${min} to ${max}.`);
}

const UNITS = ['b', 'k', 'm', 'g', 't'];

/**
 * Returns a size in bytes. The suffixes K, M, G and T are powers of 1024; `MB` and `MiB` mean the same. `name` names it in
 * the error. Throws `USAGE`.
 */
export function parseByteSize(name: string, text: string, minBytes: number): number {
  const [, digits = '', unit = 'b'] = /^(\d+(?:\.\d+)?) *([bkmgt])?(?:i?b)?$/i.exec(text.trim()) ?? [];
  const bytes = Math.floor(Number(digits) * 1024 ** UNITS.indexOf(unit.toLowerCase()));
  if (digits !== '' && bytes >= minBytes) return bytes;
  const expected = `a size such as 512M or 4G, at least ${Math.ceil(minBytes / 1024 ** 2)}M`;
  throw usageError(`Invalid ${name} "${text}": expected ${expected}.`);
}

/** Returns an option as a size in bytes, or `undefined` if it is not set. Throws `USAGE`. */
export function readByteSize({ stringValues }: ParsedOptions, name: string, minBytes: number): number | undefined {
  const text = stringValues.get(name);
  return text === undefined ? undefined : parseByteSize(`--${name}`, text, minBytes);
}
