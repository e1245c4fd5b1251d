import { ShortWord, type TextScanner } from '../text/text-scanner.js';

const [ENDFACET, FACET, NORMAL, OUTER, LOOP, VERTEX, ENDLOOP] = [
  'endfacet',
  'facet',
  'normal',
  'outer',
  'loop',
  'vertex',
  'endloop',
].map((word) => new ShortWord(word));
const LOWERCASE_A = 0x61;

/**
 * Reads facets of an ASCII STL in the common form: all keywords, lower case, three corners. Expecting one keyword after
 * the other avoids testing each word against all keywords, which dominates the time of the general reader.
 */
export class FastFacetReader {
  /** x, y, z of the three corners of the last facet read */
  readonly corners = new Float64Array(9);
  readonly #scanner: TextScanner;
  readonly #points = [0, 3, 6].map((first) => this.corners.subarray(first, first + 3));

  constructor(scanner: TextScanner) {
    this.#scanner = scanner;
  }

  /**
   * Reads the next facet up to its `endloop` if it has the common form. Otherwise leaves the position unchanged and
   * returns false.
   */
  tryRead(): boolean {
    const scanner = this.#scanner;
    const start = scanner.position;
    scanner.acceptShortWord(ENDFACET);
    if (this.#acceptHeader() && this.#readCorners() && scanner.acceptShortWord(ENDLOOP)) return true;
    scanner.position = start;
    return false;
  }

  #acceptHeader(): boolean {
    const scanner = this.#scanner;
    if (!scanner.acceptShortWord(FACET) || !scanner.acceptShortWord(NORMAL)) return false;
    for (let k = 0; k < 3; k++) {
      // A word that may be a keyword is not part of a normal.
      if (!scanner.seekWord() || scanner.initial >= LOWERCASE_A) return false;
      scanner.skipWord();
    }
    return scanner.acceptShortWord(OUTER) && scanner.acceptShortWord(LOOP);
  }

  #readCorners(): boolean {
    for (const point of this.#points) {
      if (!this.#scanner.acceptShortWord(VERTEX)) return false;
      this.#scanner.takeNumbers(point);
    }
    return true;
  }
}
