import { MeshError } from '../../core/mesh-error.js';
import type { Format, PackedScene } from '../format.js';
import { isHiddenEntry } from './entry-name.js';
import { ZipArchive } from './zip-reader.js';

const MAX_LISTED_NAMES = 10;

import { recognizeThreeMf, recognizeZip } from './recognize-zip.js';

/** A ZIP archive with one scene and the files that it references, such as a glTF with its buffers. */
export const ZIP: Format = {
  id: 'zip',
  label: 'a ZIP archive',
  extensions: ['zip'],
  mediaType: 'application/zip',
  recognizes: (content) => recognizeZip(content) && !recognizeThreeMf(content),
  hasUnits: false,
  isCurved: true,
  unpack: unpackScene,
};

/**
 * Returns the only scene in a ZIP, and a reader of the other entries. Folders of macOS and hidden files are ignored.
 * Throws `FILE_EMPTY` if there is no scene, `SEVERAL_MODELS` with their names if there are several.
 */
function unpackScene(bytes: Uint8Array, isScene: (filename: string) => boolean): PackedScene {
  const archive = new ZipArchive(bytes);
  const names = archive.names.filter((name) => !isHiddenEntry(name) && isScene(name));
  const [name] = names;
  if (name === undefined) throw new MeshError('FILE_EMPTY', 'Could not read the ZIP: it contains no model.');
  if (names.length > 1) {
    const listed = names.slice(0, MAX_LISTED_NAMES).map((entry) => `“${entry.slice(0, 80)}”`);
    const more = names.length > MAX_LISTED_NAMES ? ' …' : '';
    const message = `Could not read the ZIP: it contains ${names.length} models: ${listed.join(', ')}${more}. Upload each one separately.`;
    throw new MeshError('SEVERAL_MODELS', message);
  }
  return {
    filename: name.split('/').at(-1) ?? name,
    content: archive.read(name) ?? new Uint8Array(),
    readCompanion: (reference) => archive.readCompanion(name, reference),
  };
}
