import { randomBytes } from 'node:crypto';
import { limitEntry, type ModelEntry } from './model-entry.js';

/** The maximum number of entries. */
const MAX_ENTRIES = 50;

/** The properties of a new entry. */
export type NewEntry = Pick<ModelEntry, 'path' | 'name' | 'service' | 'modelId' | 'summary'>;

/** The newest 50 models of all preview nodes: what the editor lists. Without their meshes and pictures. */
export class ModelEntries {
  readonly #nodeIds: () => ReadonlySet<string>;
  /** key → entry, oldest first */
  readonly #entries = new Map<string, ModelEntry>();
  #revision = 0;

  /** `nodeIds` returns the ids of all deployed nodes: the entries of others are removed. */
  constructor(nodeIds: () => ReadonlySet<string>) {
    this.#nodeIds = nodeIds;
  }

  /** Adds an entry, and removes the oldest if there are more than 50. */
  add(entry: NewEntry): ModelEntry {
    this.#removeOrphans();
    const key = randomBytes(16).toString('hex');
    const added = limitEntry({
      ...entry,
      key,
      revision: this.#nextRevision(),
      receivedAt: Date.now(),
      files: {},
      state: 'working',
    });
    this.#entries.set(key, added);
    const [oldest] = this.#entries.keys();
    if (this.#entries.size > MAX_ENTRIES && oldest !== undefined) this.#entries.delete(oldest);
    return added;
  }

  /** Changes an entry. */
  update(entry: ModelEntry, change: Partial<Pick<ModelEntry, 'state' | 'error'>>): void {
    Object.assign(entry, change, { revision: this.#nextRevision() });
  }

  /** Returns the entry with this key. */
  get(key: string): ModelEntry | undefined {
    this.#removeOrphans();
    return this.#entries.get(key);
  }

  /** Returns all entries, newest first. */
  list(): ModelEntry[] {
    this.#removeOrphans();
    return [...this.#entries.values()].reverse();
  }

  #nextRevision(): number {
    this.#revision += 1;
    return this.#revision;
  }

  // A node is also removed with its tab or with the subflow instance that it is in.
  #removeOrphans(): void {
    const ids = this.#nodeIds();
    for (const { key, path } of this.#entries.values())
      if (!path.split('/').every((id) => ids.has(id))) this.#entries.delete(key);
  }
}
