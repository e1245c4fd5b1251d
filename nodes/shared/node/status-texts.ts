import type { NodeAPI } from 'node-red';

/** The maximum number of texts that a node caches. */
const MAX_CACHED_TEXTS = 100;

/**
 * Returns a function that reads status texts of a node type from its catalog, by their key below `status`. It caches
 * them, because the same ones are shown for each message.
 */
export function createStatusTexts(
  RED: Pick<NodeAPI, '_'>,
  nodeName: string,
): (key: string, values?: Record<string, string>) => string {
  const texts = new Map<string, string>();
  return (key, values) => {
    const name = values ? `${key} ${Object.values(values).join(' ')}` : key;
    const existing = texts.get(name);
    if (existing !== undefined) return existing;
    const text = RED._(`${nodeName}.status.${key}`, values);
    if (texts.size < MAX_CACHED_TEXTS) texts.set(name, text);
    return text;
  };
}
