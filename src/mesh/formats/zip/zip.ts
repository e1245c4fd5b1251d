import type { Format, PackedScene } from '../format.js';
import { findScene, type SceneOptions } from './find-scene.js';
import { recognizeThreeMf, recognizeZip } from './recognize-zip.js';
import { ZipArchive } from './zip-reader.js';

/** A ZIP archive with scenes and the files that they reference, such as a glTF with its buffers. */
export const ZIP: Format = {
  id: 'zip',
  label: 'a ZIP archive',
  extensions: ['zip'],
  mediaType: 'application/zip',
  recognizes: (content) => recognizeZip(content) && !recognizeThreeMf(content),
  hasUnits: false,
  isCurved: true,
  hasHelpers: true,
  hasPlates: true,
  unpack: unpackScene,
};

/** Returns a scene in a ZIP, and a reader of the other entries. Throws as `findScene`. */
function unpackScene(bytes: Uint8Array, options: SceneOptions): PackedScene {
  const archive = new ZipArchive(bytes);
  const name = findScene(archive, options);
  return {
    filename: name.split('/').at(-1) ?? name,
    content: archive.read(name) ?? new Uint8Array(),
    readCompanion: (reference) => archive.readCompanion(name, reference),
  };
}
