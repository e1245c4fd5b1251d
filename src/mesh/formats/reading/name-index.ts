import { decodePercent } from '../text/decode-percent.js';

/** Longer names are only found exactly: no program writes them, and to normalize combining characters takes long. */
const MAX_LENGTH = 1024;

/**
 * Finds values by name as people and programs spell names: exactly; else without regard to case, Unicode normalization,
 * leading slashes and `./`; else also with percent-encoded characters decoded on both sides. Of equal spellings the
 * first wins.
 */
export class NameIndex<T> {
  readonly #byName = new Map<string, T>();
  readonly #byKey = new Map<string, T>();
  /** key without percent-encoded characters → value, of the names that have some */
  readonly #byDecodedKey = new Map<string, T>();

  constructor(entries: Iterable<readonly [name: string, value: T]>) {
    for (const [name, value] of entries) {
      const key = toNameKey(name);
      addFirst(this.#byName, name, value);
      addFirst(this.#byKey, key, value);
      if (key.length <= MAX_LENGTH && key.includes('%'))
        addFirst(this.#byDecodedKey, toNameKey(decodePercent(key)), value);
    }
  }

  find(name: string): T | undefined {
    const exact = this.#byName.get(name) ?? this.#byKey.get(toNameKey(name));
    if (exact !== undefined || name.length > MAX_LENGTH) return exact;
    const decoded = toNameKey(decodePercent(name));
    return this.#byKey.get(decoded) ?? this.#byDecodedKey.get(decoded);
  }
}

/** Returns a name in the form in which names are compared without regard to case, normalization and `./`. */
function toNameKey(name: string): string {
  if (name.length > MAX_LENGTH) return name;
  return name
    .replace(/^(\.?\/)+/, '')
    .replace(/\/(\.?\/)+/g, '/')
    .normalize('NFC')
    .toLowerCase();
}

function addFirst<T>(map: Map<string, T>, key: string, value: T): void {
  if (!map.has(key)) map.set(key, value);
}
