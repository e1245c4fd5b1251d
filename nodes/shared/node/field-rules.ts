// The rules for the settings of the nodes. `npm run generate` converts this file to a script for the dialogs. Therefore
// it imports nothing. The runtime halves use the same functions, except for rules that others apply: `checkIdFormat`,
// `checkOperationName` and `checkExtension` mirror the client, `checkNumber`, `checkChoice` and `checkFormat` mirror the
// local service (and, for NUMBER_RULES, `numberField`), and `isVariable` mirrors Node-RED. Tests hold these equal:
// test/nodes/field-values.test.ts and test/editor/validation.test.ts check one table of values with the nodes and the
// local service, and in the dialogs; test/nodes/dialog-validation.test.ts checks NUMBER_RULES.

/** Why a value is invalid: the key of a text in the catalog of the service node, and the values for that text. */
export interface FieldProblem {
  reason: string;
  values?: Readonly<Record<string, string | number | undefined>>;
}

/** The values that a number may have. `exclusiveMin`, `min` and `max` are as in JSON Schema. */
export interface NumberRule {
  readonly isInteger?: boolean;
  readonly exclusiveMin?: number;
  readonly min?: number;
  readonly max?: number;
}

/** Numeric setting → its rule. Times are in seconds. */
export const NUMBER_RULES = {
  concurrency: { isInteger: true, min: 1 },
  pollMin: { min: 0.05 },
  pollMax: { min: 0.05 },
  timeout: { min: 1 },
  completeSeconds: { min: 0.1 },
  pictureWidth: { isInteger: true, min: 40 },
} as const satisfies Record<string, NumberRule>;

/** Longer than the paths of all systems. A longer string is file content. */
const MAX_PATH_LENGTH = 4096;

/** Returns whether a setting is empty or consists of white space. */
export function isBlank(value: unknown): boolean {
  return value === undefined || value === null || String(value).trim() === '';
}

/** Returns whether Node-RED replaces a setting by the value of an environment variable: `${NAME}` or `$(NAME)`. */
export function isVariable(value: unknown): boolean {
  return typeof value === 'string' && /^\$(\{\S+\}|\(\S+\))$/.test(value);
}

/** Returns why a value is not a number that the rule allows. Numbers may be strings, as the editor saves them. */
export function checkNumber(value: unknown, rule: NumberRule): FieldProblem | undefined {
  const { isInteger = false, exclusiveMin, min, max } = rule;
  const number = isBlank(value) ? Number.NaN : Number(value);
  const isAllowed =
    Number.isFinite(number) &&
    (!isInteger || Number.isInteger(number)) &&
    number > (exclusiveMin ?? Number.NEGATIVE_INFINITY) &&
    number >= (min ?? Number.NEGATIVE_INFINITY) &&
    number <= (max ?? Number.POSITIVE_INFINITY);
  if (isAllowed) return undefined;
  const values = { exclusiveMin, min, max };
  const kind = isInteger ? 'integer' : 'number';
  if (exclusiveMin !== undefined) return { reason: `${kind}Above`, values };
  if (min === undefined) return { reason: kind };
  return { reason: max === undefined ? `${kind}From` : `${kind}Between`, values };
}

/** Returns why a text is none of `choices`. Ignores case and surrounding white space. */
export function checkChoice(value: string, choices: readonly string[]): FieldProblem | undefined {
  const isListed = choices.some((choice) => choice.toLowerCase() === value.trim().toLowerCase());
  return isListed ? undefined : { reason: 'choice', values: { choices: choices.join(', ') } };
}

/** Returns why a text names no export format. Like `checkChoice`, and ignores a leading dot. */
export function checkFormat(value: string, formats: readonly string[]): FieldProblem | undefined {
  return checkChoice(value.trim().replace(/^\./, ''), formats);
}

/** Returns why a text is not the address of a service: an http or https URL without a user. */
export function checkAddress(value: string): FieldProblem | undefined {
  const url = parseHttpUrl(value);
  return url && !url.username && !url.password ? undefined : { reason: 'address' };
}

/** Returns why a text is not a public URL of Node-RED: an http or https URL with neither a path nor a user. */
export function checkPublicUrl(value: string): FieldProblem | undefined {
  const url = parseHttpUrl(value);
  const isOrigin = url && url.pathname === '/' && !url.search && !url.hash && !url.username && !url.password;
  return isOrigin ? undefined : { reason: 'publicUrl' };
}

function parseHttpUrl(value: string): URL | undefined {
  try {
    const url = new URL(value.trim());
    return /^https?:$/.test(url.protocol) ? url : undefined;
  } catch {
    return undefined;
  }
}

/** Returns why a text is not the id of a file, model or operation. */
export function checkIdFormat(value: string): FieldProblem | undefined {
  const isId = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i.test(value.trim());
  return isId ? undefined : { reason: 'uuid' };
}

/** Returns why a text is not the name of an operation. */
export function checkOperationName(value: string): FieldProblem | undefined {
  return /^[a-z][a-z0-9-]{0,63}$/.test(value.trim()) ? undefined : { reason: 'operationName' };
}

/** Returns whether a JSON value is an object. Null counts as an object without properties. */
export function isJsonObject(value: unknown): value is object | null {
  return typeof value === 'object' && !Array.isArray(value);
}

/** Returns why a text is not the JSON of an object. */
export function checkJsonObject(value: string): FieldProblem | undefined {
  try {
    if (isJsonObject(JSON.parse(value))) return undefined;
  } catch {
    // Has the same remedy as JSON of another type.
  }
  return { reason: 'jsonObject' };
}

/** Returns the scheme of a URL, or `undefined` for other texts. At least two letters: `C://` is a Windows path. */
export function findScheme(value: string): string | undefined {
  return /^([a-z][a-z\d+.-]+):\/\//i.exec(value.trim())?.[1];
}

/**
 * Returns why a text cannot be the path of a file to upload: it is empty or the content of a file (`sourcePath`), a URL
 * (`sourceUrl`) or a folder (`sourceFolder`). Content comes first: it may look like the others, but must not appear in
 * errors. White space around a path is ignored.
 */
export function checkSourcePath(value: string): FieldProblem | undefined {
  const name = value.trim();
  if (name === '' || name.length > MAX_PATH_LENGTH || /[\n\0]/.test(name)) return { reason: 'sourcePath' };
  if (findScheme(name) !== undefined) return { reason: 'sourceUrl' };
  return /[\\/]$/.test(name) ? { reason: 'sourceFolder' } : undefined;
}

/**
 * Returns why a filename cannot be that of an upload: it has no extension. Folders before the name and white
 * space around it are ignored.
 */
export function checkExtension(value: string): FieldProblem | undefined {
  return /[^./\\]\.[^./\\]+[/\\]*$/.test(value.trim()) ? undefined : { reason: 'filename' };
}

/**
 * Returns why a text is not a path for a download: it is a URL, or a relative path that leads out of the download
 * folder. A path below the home folder (`~`) is absolute.
 */
export function checkTargetPath(value: string): FieldProblem | undefined {
  if (findScheme(value) !== undefined) return { reason: 'targetUrl' };
  if (/^([\\/]|[a-z]:[\\/]|~$|~[\\/])/i.test(value)) return undefined;
  let depth = 0;
  for (const segment of value.split('/')) {
    if (segment === '..') depth -= 1;
    else if (segment !== '' && segment !== '.') depth += 1;
    if (depth < 0) return { reason: 'targetPath' };
  }
  return undefined;
}
