import { scanNumber } from './scan-number.js';
import { GREATER, SLASH, SPACE } from './xml-text.js';

const QUOTE = 0x22;

/**
 * An empty element with numeric attributes, in the form in which most programs write it: `<vertex x="1" y="2" z="3"/>`.
 * Models contain millions of them. `XmlReader.acceptRow` reads this form in one step; other forms are read as ordinary
 * elements.
 */
export class XmlRow {
  /** The bytes that precede each number. */
  readonly #prefixes: readonly Uint8Array[];

  /** `attributes` in the order in which they are written. */
  constructor(name: string, attributes: readonly string[]) {
    const prefixes = attributes.map((attribute, i) => `${i === 0 ? `<${name}` : '"'} ${attribute}="`);
    this.#prefixes = prefixes.map((text) => Buffer.from(text, 'latin1'));
  }

  /**
   * Reads the row at `start` into `target`, skipping leading spaces. Returns the offset after it, or -1 if there is no
   * such row.
   */
  read(bytes: Uint8Array, view: DataView, start: number, target: Float64Array): number {
    let index = start;
    while (bytes[index] <= SPACE) index++;
    for (let k = 0; k < this.#prefixes.length; k++) {
      const prefix = this.#prefixes[k];
      for (let i = 0; i < prefix.length; i++) if (bytes[index + i] !== prefix[i]) return -1;
      index = scanNumber(bytes, view, index + prefix.length, target, k);
      if (index < 0) return -1;
    }
    if (bytes[index] !== QUOTE) return -1;
    index++;
    if (bytes[index] === SPACE) index++;
    return bytes[index] === SLASH && bytes[index + 1] === GREATER ? index + 2 : -1;
  }
}
