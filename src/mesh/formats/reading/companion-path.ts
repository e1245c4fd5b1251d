/** Returns the bytes of a file that a scene references, or `undefined` if it is not available. */
export type ReadCompanion = (reference: string) => Uint8Array | undefined;

/**
 * Returns the path to which a relative reference leads from `folder`, normalized and with slashes. Returns `undefined`
 * for a URL, an absolute path, a path that leaves the root, and a malformed reference.
 *
 * @param folder the folder of the scene below the root, such as `a/b`; empty for the root itself
 */
export function resolveCompanionPath(folder: string, reference: string): string | undefined {
  const path = decodePercent(reference)?.replaceAll('\\', '/');
  // A colon occurs in URLs, Windows drives and alternate data streams.
  if (path === undefined || path.startsWith('/') || /[:\0]/.test(path)) return undefined;
  const segments: string[] = [];
  for (const segment of [...folder.split('/'), ...path.split('/')]) {
    if (segment === '' || segment === '.') continue;
    if (segment !== '..') segments.push(segment);
    else if (segments.pop() === undefined) return undefined;
  }
  return segments.length > 0 ? segments.join('/') : undefined;
}

function decodePercent(reference: string): string | undefined {
  try {
    return decodeURIComponent(reference);
  } catch {
    return undefined;
  }
}
