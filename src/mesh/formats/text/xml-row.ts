import { scanNumber } from './scan-number.js';
import { GREATER, SLASH, SPACE } from './xml-text.js';

const QUOTE = 0x22;

/**
 * An element without content whose attributes are numbers, in the form that nearly all programs write it in: `<vertex x="1" y="2" z="3"/>`, of
 * which a model has millions. `XmlReader.acceptRow` reads those at once; whatever stands there in another form it reads as any element.
 */
export class XmlRow {
  /** What stands before each number. */
  readonly #before: readonly Uint8Array[];

  /** `attributes` in the order in which they are written. */
  constructor(name: string, attributes: readonly string[]) {
    const before = attributes.map((attribute, i) => `${i === 0 ? `<${name}` : '"'} ${attribute}="`);
    this.#before = before.map((text) => Buffer.from(text, 'latin1'));
  }

  /** Reads the row that stands at `start`, spaces before it aside, and answers where it ends; -1 where something else stands there. */
  read(bytes: Uint8Array, view: DataView, start: number, into: Float64Array): number {
    let index = start;
    while (bytes[index] <= SPACE) index++;
    for (let k = 0; k < this.#before.length; k++) {
      const before = this.#before[k];
      for (let i = 0; i < before.length; i++) if (bytes[index + i] !== before[i]) return -1;
      index = scanNumber(bytes, view, index + before.length, into, k);
      if (index < 0) return -1;
    }
    if (bytes[index] !== QUOTE) return -1;
    index++;
    if (bytes[index] === SPACE) index++;
    return bytes[index] === SLASH && bytes[index + 1] === GREATER ? index + 2 : -1;
  }
}
