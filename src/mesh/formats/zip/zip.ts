import { MeshError } from '../../core/mesh-error.js';
import type { Format, PackedScene } from '../format.js';
import { resolveCompanionPath } from '../reading/companion-path.js';
import { ZipArchive } from './zip-reader.js';

const MAX_LISTED_NAMES = 10;

/** A ZIP archive with one scene and the files that it references, such as a glTF with its buffers. */
export const ZIP: Format = {
  id: 'zip',
  extensions: ['zip'],
  mediaType: 'application/zip',
  hasUnits: false,
  isCurved: true,
  hasHelpers: true,
  hasPlates: true,
  acceptsContent: (bytes) => bytes[0] === 0x50 && bytes[1] === 0x4b,
  unpack: unpackScene,
};

/**
 * Returns the only scene in a ZIP, and a reader of the other entries. Folders of macOS and hidden files are ignored.
 * Throws `FILE_EMPTY` if there is no scene, `SEVERAL_MODELS` with their names if there are several.
 */
function unpackScene(bytes: Uint8Array, isScene: (filename: string) => boolean): PackedScene {
  const archive = new ZipArchive(bytes);
  const names = archive.names.filter((name) => !/(^|\/)(\.[^./]|__MACOSX\/)/.test(name) && isScene(name));
  const [name] = names;
  if (name === undefined) throw new MeshError('FILE_EMPTY', 'Could not read the ZIP: it contains no model.');
  if (names.length > 1) {
    const listed = names.slice(0, MAX_LISTED_NAMES).map((entry) => `“${entry.slice(0, 80)}”`);
    const more = names.length > MAX_LISTED_NAMES ? ' …' : '';
    const message = `Could not read the ZIP: it contains ${names.length} models: ${listed.join(', ')}${more}. Upload each one separately.`;
    throw new MeshError('SEVERAL_MODELS', message);
  }
  const folder = name.split('/').slice(0, -1).join('/');
  return {
    filename: name.split('/').at(-1) ?? name,
    content: archive.read(name) ?? new Uint8Array(),
    readCompanion: (reference) => {
      const path = resolveCompanionPath(folder, reference);
      return path === undefined ? undefined : archive.read(path);
    },
  };
}
