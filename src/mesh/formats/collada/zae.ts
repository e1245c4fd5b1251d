import { MeshError } from '../../core/mesh-error.js';
import { XmlReader } from '../text/xml-reader.js';
import { ZipArchive } from '../zip/zip-reader.js';

const MANIFEST = 'manifest.xml';

/**
 * Returns the Collada file in a ZAE: the one that its manifest names, else the first. Throws `FILE_MALFORMED` if there
 * is none.
 */
export function unpackZae(bytes: Uint8Array): Uint8Array {
  const archive = new ZipArchive(bytes);
  const name = readRootPath(archive) ?? archive.names.find((entry) => entry.toLowerCase().endsWith('.dae'));
  const content = name === undefined ? undefined : archive.read(name);
  if (!content) throw new MeshError('FILE_MALFORMED', 'Invalid ZAE: the archive has no Collada file.');
  return content;
}

/** Returns the path in `<dae_root>` of the manifest, without a leading `./` and a fragment, if that entry exists. */
function readRootPath(archive: ZipArchive): string | undefined {
  const manifest = archive.read(MANIFEST);
  if (!manifest) return undefined;
  const reader = new XmlReader(manifest);
  for (let event = reader.next(); event !== 'end'; event = reader.next()) {
    if (event !== 'text' || reader.name !== 'dae_root') continue;
    const path = reader.text().trim().replace(/^\.\//, '').replace(/#.*$/, '');
    return archive.read(path) ? path : undefined;
  }
  return undefined;
}
