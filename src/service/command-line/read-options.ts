import { parseArgs } from 'node:util';
import { StartError } from '../start-error.js';

/** What a command understands: a text or a switch by its long name, and perhaps a short one. */
export type OptionTable = Record<string, { type: 'string' | 'boolean'; short?: string }>;

/** What was said: options by their long names, and the rest. */
export interface ReadOptions {
  texts: Map<string, string>;
  switches: Set<string>;
  rest: string[];
}

/** `--disk-quota` may also be said as MODEL_PROCESSING_DISK_QUOTA. */
const variableOf = (option: string): string => `MODEL_PROCESSING_${option.toUpperCase().replaceAll('-', '_')}`;

const isOn = (value: string): boolean => !['', '0', 'false', 'no', 'off'].includes(value.trim().toLowerCase());

const usage = (message: string): StartError => new StartError('USAGE', message);

const parse = (args: readonly string[], table: OptionTable) => {
  try {
    return parseArgs({ args: [...args], options: table, allowPositionals: true, strict: true });
  } catch (error) {
    // Node's first sentence says what is wrong; the next one advises on its own function.
    const [what = ''] = (error instanceof Error ? error.message : String(error)).split(/\. |\.?\n/);
    throw usage(`${what} (--help lists the options)`);
  }
};

/** Reads a command line; what it does not say is taken from the environment. Throws `USAGE`. */
export const readOptions = (
  args: readonly string[],
  table: OptionTable,
  environment: Readonly<Record<string, string | undefined>>,
): ReadOptions => {
  const { values, positionals } = parse(args, table);
  const texts = new Map<string, string>();
  const switches = new Set<string>();
  for (const [name, { type }] of Object.entries(table)) {
    const said = values[name] ?? environment[variableOf(name)];
    if (said === undefined) continue;
    if (type === 'string') {
      if (String(said) !== '') texts.set(name, String(said));
    } else if (isOn(String(said))) {
      switches.add(name);
    }
  }
  return { texts, switches, rest: positionals };
};

/** A whole number from `least` to `most`; `undefined` where nothing was said. */
export const readWhole = ({ texts }: ReadOptions, name: string, least: number, most: number): number | undefined => {
  const text = texts.get(name);
  if (text === undefined) return undefined;
  const value = Number(text);
  if (Number.isInteger(value) && value >= least && value <= most) return value;
  throw usage(`--${name} is a whole number from ${least} to ${most}, not "${text}"`);
};

const UNITS = ['b', 'k', 'm', 'g', 't'];

/** A size in bytes: a number, or one with K, M, G or T (powers of 1024; `MB` and `MiB` mean the same). */
export const readSize = ({ texts }: ReadOptions, name: string, leastBytes: number): number | undefined => {
  const text = texts.get(name);
  if (text === undefined) return undefined;
  const [, digits = '', unit = 'b'] = /^(\d+(?:\.\d+)?) *([bkmgt])?(?:i?b)?$/i.exec(text.trim()) ?? [];
  const bytes = Math.floor(Number(digits) * 1024 ** UNITS.indexOf(unit.toLowerCase()));
  if (digits !== '' && bytes >= leastBytes) return bytes;
  throw usage(`--${name} is a size such as 512M or 4G, at least ${Math.ceil(leastBytes / 1024 ** 2)}M, not "${text}"`);
};
