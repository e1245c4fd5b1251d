import { MeshError } from '../../core/mesh-error.js';
import { NameIndex } from '../reading/name-index.js';
import { isHiddenEntry } from './entry-name.js';
import type { ZipArchive } from './zip-reader.js';

/** The names in a message, and their characters. */
const MAX_QUOTED_NAMES = 10;
const MAX_QUOTED_LENGTH = 80;
/** The names in the list of an error, and all their characters: the list is stored with the operation. */
const MAX_LISTED_NAMES = 1000;
const MAX_LISTED_LENGTH = 1 << 16;

/** Options of `findScene`. */
export interface SceneOptions {
  /** Returns whether a name has the extension of a model. */
  isScene: (filename: string) => boolean;
  /** The path of the entry, or its name without folders if no other entry has it. Default: the only scene. */
  entry?: string | undefined;
}

/**
 * Returns the name of the entry to read. Folders of macOS and hidden files are ignored. Throws `FILE_EMPTY` if there is no
 * scene, `SEVERAL_MODELS` if there are several and `ENTRY_UNKNOWN` if `entry` is none or several of the entries; these
 * errors list the scenes.
 */
export function findScene(archive: ZipArchive, { isScene, entry }: SceneOptions): string {
  const names = archive.names.filter((name) => !name.endsWith('/') && !isHiddenEntry(name));
  const scenes = names.filter(isScene);
  if (entry !== undefined) return findEntry(archive, { names, scenes, entry });
  const [scene] = scenes;
  if (scene === undefined) {
    const contents = names.length > 0 ? `, but ${quoteNames(names)}` : '';
    throw new MeshError('FILE_EMPTY', `Could not read the ZIP: it contains no model${contents}.`);
  }
  if (scenes.length === 1) return scene;
  const message = `Could not read the ZIP: it contains ${scenes.length} models: ${quoteNames(scenes)}. Choose one by “entry”.`;
  throw new MeshError('SEVERAL_MODELS', message, limitEntries(scenes));
}

interface EntryOptions {
  names: readonly string[];
  scenes: readonly string[];
  entry: string;
}

function findEntry(archive: ZipArchive, { names, scenes, entry }: EntryOptions): string {
  const path = archive.findName(entry) ?? archive.findName(entry.replaceAll('\\', '/'));
  if (path !== undefined && names.includes(path)) return path;
  const matches = names.filter((name) => {
    const base = archive.namesOf(name).map((spelling) => [spelling.split('/').at(-1) ?? '', name] as const);
    return new NameIndex(base).find(entry) !== undefined;
  });
  const [match] = matches;
  if (match !== undefined && matches.length === 1) return match;
  const label = `“${entry.slice(0, MAX_QUOTED_LENGTH)}”`;
  const reason = match === undefined ? `it has no entry ${label}` : `${label} is the name of ${quoteNames(matches)}`;
  const models = scenes.length > 0 ? ` The models in it are ${quoteNames(scenes)}.` : '';
  const message = `Could not read the ZIP: ${reason}.${models} Set “entry” to the path of one.`;
  throw new MeshError('ENTRY_UNKNOWN', message, limitEntries(scenes));
}

function quoteNames(names: readonly string[]): string {
  const quoted = names.slice(0, MAX_QUOTED_NAMES).map((name) => `“${name.slice(0, MAX_QUOTED_LENGTH)}”`);
  return `${quoted.join(', ')}${names.length > MAX_QUOTED_NAMES ? ' …' : ''}`;
}

/** Returns the first names, up to the limits of the list, and whether there are more. */
function limitEntries(names: readonly string[]): { entries: string[]; hasMoreEntries: boolean } {
  const entries: string[] = [];
  let length = 0;
  for (const name of names.slice(0, MAX_LISTED_NAMES)) {
    length += name.length;
    if (length > MAX_LISTED_LENGTH) break;
    entries.push(name);
  }
  return { entries, hasMoreEntries: entries.length < names.length };
}
