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
const SMALL_A = 0x61;

/**
 * Reads the facets of an ASCII STL that are written as nearly all are: with all their words, in lower case, and three corners. The words are
 * expected one after the other instead of looked at one by one, which is what takes most of the time otherwise.
 */
export class FastFacetReader {
  /** x, y, z of the three corners of the facet that was taken. */
  readonly corners = new Float64Array(9);
  readonly #scanner: TextScanner;
  readonly #points = [0, 3, 6].map((first) => this.corners.subarray(first, first + 3));

  constructor(scanner: TextScanner) {
    this.#scanner = scanner;
  }

  /** Goes behind the loop of the next facet, if that is written so; else stays, and answers false. */
  tryRead(): boolean {
    const scanner = this.#scanner;
    const start = scanner.position;
    scanner.acceptShortWord(ENDFACET);
    if (this.#takeHead() && this.#takeCorners() && scanner.acceptShortWord(ENDLOOP)) return true;
    scanner.position = start;
    return false;
  }

  #takeHead(): boolean {
    const scanner = this.#scanner;
    if (!scanner.acceptShortWord(FACET) || !scanner.acceptShortWord(NORMAL)) return false;
    for (let k = 0; k < 3; k++) {
      // What could be a word that means something is no part of a normal.
      if (!scanner.seekWord() || scanner.initial >= SMALL_A) return false;
      scanner.skipWord();
    }
    return scanner.acceptShortWord(OUTER) && scanner.acceptShortWord(LOOP);
  }

  #takeCorners(): boolean {
    for (const point of this.#points) {
      if (!this.#scanner.acceptShortWord(VERTEX)) return false;
      this.#scanner.takeNumbers(point);
    }
    return true;
  }
}
