import type { ReportWarning } from '../../api/index.js';
import { readSetting, type Settings, writeSetting } from '../settings.js';
import { ENGLISH, type Texts } from './english.js';
import { fillNames } from './fill-names.js';
import { GERMAN } from './german.js';

const LANGUAGES: Record<Settings['language'], Texts> = { en: ENGLISH, de: GERMAN };

function chooseLanguage(): Settings['language'] {
  const preferred = [readSetting('language'), ...navigator.languages.map((language) => language.slice(0, 2))];
  return preferred.find((language) => language === 'en' || language === 'de') ?? 'en';
}

let current: Settings['language'] = chooseLanguage();

/** Returns the texts of the chosen language: that of the browser, until another one was chosen. */
export function texts(): Texts {
  return LANGUAGES[current];
}

/** The language of the page. */
export function language(): Settings['language'] {
  return current;
}

/** Chooses the language of this browser. What is shown has to be created again. */
export function setLanguage(chosen: Settings['language']): void {
  current = chosen;
  writeSetting('language', chosen);
}

/** Replaces each `{name}` in a text by its value. */
export function fill(text: string, values: Readonly<Record<string, string | number>>): string {
  return text.replace(/\{(\w+)\}/g, (_, name: string) => String(values[name] ?? ''));
}

const numberFormats = new Map<string, Intl.NumberFormat>();

/** Returns the format of numbers with at most `digits` digits after the point. Creating one takes long. */
function findNumberFormat(digits: number): Intl.NumberFormat {
  const key = `${current} ${digits}`;
  const known = numberFormats.get(key);
  if (known) return known;
  const format = new Intl.NumberFormat(current, { maximumFractionDigits: digits });
  numberFormats.set(key, format);
  return format;
}

const timeFormats = new Map<string, Intl.DateTimeFormat>();

function findTimeFormat(isToday: boolean): Intl.DateTimeFormat {
  const key = `${current} ${isToday}`;
  const known = timeFormats.get(key);
  if (known) return known;
  const format = new Intl.DateTimeFormat(current, isToday ? { timeStyle: 'short' } : { dateStyle: 'medium' });
  timeFormats.set(key, format);
  return format;
}

/** Formats a number in the language of the page, with at most `digits` digits after the point. */
export function formatNumber(value: number, digits = 0): string {
  return findNumberFormat(digits).format(value);
}

/** Formats a measure with three significant digits at least, and none after the point from 1000 on. */
export function formatMeasure(value: number): string {
  const digits = Math.max(0, 3 - Math.max(0, Math.floor(Math.log10(Math.abs(value) || 1))));
  return formatNumber(value, Math.min(digits, 6));
}

const UNITS = ['B', 'kB', 'MB', 'GB', 'TB'];

/** Formats a size in bytes with decimal units. */
export function formatBytes(bytes: number): string {
  const power = Math.min(UNITS.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3));
  return `${formatNumber(bytes / 1000 ** power, power === 0 ? 0 : 1)} ${UNITS[power] ?? ''}`;
}

/** Formats a time: of today without its date. */
export function formatTime(time: Date): string {
  return findTimeFormat(time.toDateString() === new Date().toDateString()).format(time);
}

/** Returns the name of an operation. */
export function operationName(operation: string): string {
  return texts().operations[operation] ?? operation;
}

/** The beginning of a warning about one part of a model, and the names at the end of one about several. */
const PART = /^Part “(.*?)”/;
const PART_NAMES = /: ([^:]*)\.$/;

/**
 * Returns the text for a warning of a report, with the names in its message, `undefined` if only the service has one.
 */
export function findWarningText({ code, message }: ReportWarning): string | undefined {
  const { warnings, warningOfPart } = texts();
  const text = warnings[code] ?? (code.endsWith('_DROPPED') ? warnings.DROPPED : undefined);
  if (text === undefined) return undefined;
  const [, name] = PART.exec(message) ?? [];
  const filled = fill(fillNames(text, message), { parts: PART_NAMES.exec(message)?.[1] ?? '' });
  return name === undefined ? filled : fill(warningOfPart, { name, warning: filled });
}
