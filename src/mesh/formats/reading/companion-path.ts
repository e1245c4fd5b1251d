import { decodePercent } from '../text/decode-percent.js';

/** Returns the bytes of a file that a scene references, or `undefined` if it is not available. */
export type ReadCompanion = (reference: string) => Uint8Array | undefined;

/**
 * Returns the paths to which a relative reference may lead from `folder`, normalized and with slashes: with its
 * percent-encoded characters decoded, then as written, because some programs do not encode them. Leaves out URLs,
 * absolute paths and paths that leave the root.
 *
 * @param folder the folder of the scene below the root, such as `a/b`; empty for the root itself
 */
export function resolveCompanionPaths(folder: string, reference: string): string[] {
  const paths = [decodePercent(reference), reference].map((path) => resolvePath(folder, path));
  return [...new Set(paths)].filter((path) => path !== undefined);
}

function resolvePath(folder: string, reference: string): string | undefined {
  const path = reference.replaceAll('\\', '/');
  // A colon occurs in URLs, Windows drives and alternate data streams.
  if (path.startsWith('/') || /[:\0]/.test(path)) return undefined;
  const segments: string[] = [];
  for (const segment of [...folder.split('/'), ...path.split('/')]) {
    if (segment === '' || segment === '.') continue;
    if (segment !== '..') segments.push(segment);
    else if (segments.pop() === undefined) return undefined;
  }
  return segments.length > 0 ? segments.join('/') : undefined;
}
