import { MeshError } from '../../core/mesh-error.js';
import type { Content } from '../recognition/content.js';
import { isHiddenEntry } from './entry-name.js';
import { ZipArchive } from './zip-reader.js';

/** The relationships of an OPC package. Hidden, by its name. */
const RELATIONSHIPS = '_rels/.rels';

/** Returns whether content is a ZIP archive, which may be empty. */
export function recognizeZip({ bytes }: Content): boolean {
  const [first, second, third, fourth] = bytes;
  return first === 0x50 && second === 0x4b && ((third === 3 && fourth === 4) || (third === 5 && fourth === 6));
}

/** Returns whether content is a 3MF: an OPC package with a model part. */
export function recognizeThreeMf(content: Content): boolean {
  const names = listEntryNames(content).map((name) => name.toLowerCase());
  const isPackage = names.some((name) => name === '[content_types].xml' || name === RELATIONSHIPS);
  return names.some((name) => name.endsWith('.model') && (isPackage || name.startsWith('3d/')));
}

/** Returns the names of the entries, without hidden ones; none if content is no ZIP archive or a damaged one. */
export function listEntryNames(content: Content): string[] {
  if (!recognizeZip(content)) return [];
  try {
    return new ZipArchive(content.bytes).names.filter((name) => name === RELATIONSHIPS || !isHiddenEntry(name));
  } catch (error) {
    if (error instanceof MeshError) return [];
    throw error;
  }
}
