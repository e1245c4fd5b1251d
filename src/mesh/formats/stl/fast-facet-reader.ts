import { ShortWord, type TextScanner } from '../text/text-scanner.js';

const [ENDFACET, FACET, NORMAL, OUTER, LOOP, VERTEX, ENDLOOP, END_LOOP] = [
  'endfacet',
  'facet',
  'normal',
  'outer',
  'loop',
  'vertex',
  'endloop',
  'end loop',
].map((word) => new ShortWord(word));
const LOWERCASE_A = 0x61;
const CORNER_COUNT = 3;
const NO_VERTEX = -1;

/**
 * Reads facets of an ASCII STL in the common form: all keywords, lower case, three corners. Expecting one keyword after
 * the other avoids testing each word against all keywords, which dominates the time of the general reader.
 *
 * Most facets share an edge with the facet before. The numbers of a corner whose text equals that of a corner before are
 * not parsed again. Looking up texts in a hash table finds four of five corners instead of two of three, but takes
 * longer than parsing them.
 */
export class FastFacetReader {
  /**
   * corner of the last facet read → its vertex, if the facet before has a corner with the same text; else -1. The caller
   * replaces -1 by the vertex if it has one.
   */
  readonly vertices = new Int32Array(CORNER_COUNT).fill(NO_VERTEX);
  /** x, y, z of the three corners; of a corner with a vertex: any values */
  readonly corners = new Float64Array(9);
  readonly #scanner: TextScanner;
  readonly #points = [0, 3, 6].map((first) => this.corners.subarray(first, first + 3));
  /** corner → offset and length of its text */
  readonly #starts = new Float64Array(CORNER_COUNT);
  readonly #lengths = new Int32Array(CORNER_COUNT);
  /** The same of the facet before. */
  readonly #previousVertices = new Int32Array(CORNER_COUNT);
  readonly #previousStarts = new Float64Array(CORNER_COUNT);
  readonly #previousLengths = new Int32Array(CORNER_COUNT);

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
    if (this.#acceptHeader() && this.#readCorners() && this.#acceptEnd()) return true;
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

  #acceptEnd(): boolean {
    return this.#scanner.acceptShortWord(ENDLOOP) || this.#scanner.acceptShortWord(END_LOOP);
  }

  #readCorners(): boolean {
    for (let k = 0; k < CORNER_COUNT; k++) {
      this.#previousVertices[k] = this.vertices[k];
      this.#previousStarts[k] = this.#starts[k];
      this.#previousLengths[k] = this.#lengths[k];
      this.vertices[k] = NO_VERTEX;
    }
    const scanner = this.#scanner;
    for (let k = 0; k < CORNER_COUNT; k++) {
      if (!scanner.acceptShortWord(VERTEX)) return false;
      const start = scanner.position;
      const match = this.#findPrevious();
      if (match < CORNER_COUNT) {
        this.vertices[k] = this.#previousVertices[match];
        scanner.position = start + this.#previousLengths[match];
      } else scanner.takeNumbers(this.#points[k]);
      this.#starts[k] = start;
      this.#lengths[k] = scanner.position - start;
    }
    return true;
  }

  /** Returns the corner of the facet before with the text at the position, or `CORNER_COUNT` if there is none. */
  #findPrevious(): number {
    let k = 0;
    while (
      k < CORNER_COUNT &&
      (this.#previousVertices[k] < 0 || !this.#scanner.equalsText(this.#previousStarts[k], this.#previousLengths[k]))
    )
      k++;
    return k;
  }
}
