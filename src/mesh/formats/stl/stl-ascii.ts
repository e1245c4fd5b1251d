import type { ReportWarning } from '../../analysis/report.js';
import type { IndexedMesh, ObjectRange, OnProgress } from '../../core/mesh.js';
import { MeshError } from '../../core/mesh-error.js';
import type { ParsedModel } from '../format.js';
import { TextScanner } from '../text/text-scanner.js';
import { FastFacetReader } from './fast-facet-reader.js';
import { LoopMeshBuilder } from './loop-mesh-builder.js';
import { notFiniteWarning } from './stl-binary.js';

/** A typical size, for the initial capacity of the vertex table. */
const BYTES_PER_TRIANGLE = 200;
const LETTER_E = 0x65;
const LETTER_S = 0x73;
const LETTER_V = 0x76;
/** Keywords with which a line of the geometry may begin. */
const FIRST_KEYWORDS = ['solid', 'facet', 'outer', 'loop', 'outerloop', 'vertex'];
/** Words that begin a loop, or a facet of one loop. */
const LOOP_STARTS = ['facet', 'outer', 'loop', 'outerloop'];
const LOOP_START_LETTERS = [0x66, 0x6f, 0x6c]; // f o l
/** Words that begin a comment, up to the end of the line. */
const COMMENTS = [0x23, 0x3b, 0x2f, 0x21, 0x25, 0x2a]; // # ; / ! % *
const ENDS = (['loop', 'facet', 'solid'] as const).map((element) => ({
  element,
  words: [`end${element}`, `end_${element}`, `end-${element}`],
}));
type End = (typeof ENDS)[number]['element'];

/** The state of a text that is being read. */
interface AsciiStl {
  builder: LoopMeshBuilder;
  /** The `solid` sections that began. */
  solids: ObjectRange[];
  /** A buffer for the corner being read. */
  point: Float64Array;
  isSolidOpen: boolean;
  /** Whether a facet or loop began and no loop ended since. */
  isFacetOpen: boolean;
}

/**
 * Parses an ASCII STL: `vertex` adds a corner to a loop, which ends with its end, the end of its facet, or the start of
 * the next one. Ignores case, line ends and all other words, so that missing or misspelled keywords do no harm.
 * Triangulates loops of more than three corners as fans. Several `solid` sections become objects. Reads the complete
 * facets of a truncated file. Throws `FILE_MALFORMED` for a text without keywords.
 */
export function parseStlAscii(bytes: Uint8Array, onProgress?: OnProgress): ParsedModel {
  const scanner = new TextScanner(bytes);
  const builder = new LoopMeshBuilder(bytes.length / BYTES_PER_TRIANGLE);
  const state: AsciiStl = { builder, solids: [], point: new Float64Array(3), isSolidOpen: false, isFacetOpen: false };
  const fastReader = new FastFacetReader(scanner);
  if (!seekFirstKeyword(scanner))
    throw new MeshError('FILE_MALFORMED', 'Invalid STL: it is text without facets. Export the model again.');
  for (let readCount = 1; ; readCount++) {
    const firstCount = readCount;
    while (!builder.isInLoop && fastReader.tryRead()) {
      builder.addFacet(fastReader);
      if ((++readCount & 0xffff) === 0) onProgress?.(scanner.progress * 0.8);
    }
    if (readCount > firstCount) state.isFacetOpen = false;
    if (!scanner.seekWord()) break;
    readWord(scanner, state);
    if ((readCount & 0xffff) === 0) onProgress?.(scanner.progress * 0.8);
  }
  const warnings: ReportWarning[] = [];
  if (builder.skippedCount > 0) warnings.push(notFiniteWarning(builder.skippedCount));
  // A file without `solid` needs no `endsolid` either.
  if (state.solids.length > 0 ? state.isSolidOpen : state.isFacetOpen)
    warnings.push({ code: 'TRUNCATED', message: 'The file ends before endsolid; only complete facets were read.' });
  const mesh: IndexedMesh = builder.toMesh();
  const named = finishObjectRanges(state.solids, builder.triangleCount);
  if (named.length > 0) mesh.objects = named;
  return { mesh, warnings };
}

/** Reads the word at the position, and what belongs to it. */
function readWord(scanner: TextScanner, state: AsciiStl): void {
  const { initial } = scanner;
  const { builder, point } = state;
  if (initial === LETTER_V && scanner.acceptWord('vertex')) {
    scanner.takeNumbers(point);
    builder.addCorner(point);
  } else if (initial === LETTER_E) {
    const end = readEnd(scanner);
    if (!end) return;
    builder.endLoop();
    state.isFacetOpen = false;
    if (end !== 'solid') return;
    state.isSolidOpen = false;
    scanner.skipLine();
  } else if (initial === LETTER_S && scanner.acceptWord('solid')) {
    builder.endLoop();
    state.isSolidOpen = true;
    const name = parseSolidName(scanner.restOfLine());
    state.solids.push({ name, firstTriangle: builder.triangleCount, triangleCount: 0 });
  } else if (LOOP_START_LETTERS.includes(initial) && acceptsAny(scanner, LOOP_STARTS)) {
    builder.endLoop();
    state.isFacetOpen = true;
  } else if (COMMENTS.includes(initial)) scanner.skipLine();
  else scanner.skipWord();
}

/**
 * Moves to the first line that begins with a keyword, because words of a comment before it may be keywords, too. Stays at
 * the start if there is none but a keyword within a line. Returns false if there are no keywords.
 */
function seekFirstKeyword(scanner: TextScanner): boolean {
  for (; !scanner.isAtEnd; scanner.skipLine()) {
    if (!scanner.hasWord()) continue;
    const start = scanner.position;
    const isKeyword = acceptsAny(scanner, FIRST_KEYWORDS);
    scanner.position = start;
    if (isKeyword) return true;
  }
  scanner.position = 0;
  for (; scanner.seekWord(); scanner.skipWord()) {
    if (!acceptsAny(scanner, FIRST_KEYWORDS)) continue;
    scanner.position = 0;
    return true;
  }
  return false;
}

/** Moves past the current word if it is one of `words`. Returns whether it is. */
function acceptsAny(scanner: TextScanner, words: readonly string[]): boolean {
  return words.some((word) => scanner.acceptWord(word));
}

/**
 * Moves past the end of a loop, facet or solid, in one word or two, and returns what ends. Returns `undefined` for
 * another word, which it skips.
 */
function readEnd(scanner: TextScanner): End | undefined {
  if (scanner.acceptWord('end') && scanner.hasWord())
    return ENDS.find(({ element }) => scanner.acceptWord(element))?.element;
  const end = ENDS.find(({ words }) => acceptsAny(scanner, words));
  if (!end) scanner.skipWord();
  return end?.element;
}

/** Returns the name after `solid`, without a color or comment that some programs append after a semicolon. */
function parseSolidName(rest: string): string {
  return rest.split(/\s*;/)[0].trim();
}

/**
 * Sets the triangle counts of the sections. Returns those with triangles if there are several; a single one needs no
 * object.
 */
function finishObjectRanges(objects: ObjectRange[], triangleCount: number): ObjectRange[] {
  objects.forEach((object, index) => {
    object.triangleCount = (objects[index + 1]?.firstTriangle ?? triangleCount) - object.firstTriangle;
  });
  const filled = objects.filter((object) => object.triangleCount > 0);
  return filled.length > 1 ? filled : [];
}
