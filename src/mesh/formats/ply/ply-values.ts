import { TextScanner } from '../text/text-scanner.js';
import type { PlyType } from './ply-header.js';
import { bytesOfType } from './ply-header.js';

/** Reads the values of a PLY in sequence, text or binary. */
export interface PlyValues {
  /** Returns the next value of a type, or `undefined` at the end of the file. A word that is not a number gives NaN. */
  next(type: PlyType): number | undefined;
  /** Ends a record: skips the rest of its line, if the file is read by lines. */
  endRecord(): void;
  /** Returns an upper bound of the remaining values of a type, to reject lists that declare more. */
  maxRemaining(type: PlyType): number;
  /** Returns whether no value remains. */
  isAtEnd(): boolean;
  /** The fraction of the data that has been read, 0..1. */
  readonly progress: number;
}

/** The values of an ASCII PLY: words separated by spaces and line ends. */
export class PlyTextValues implements PlyValues {
  readonly #scanner: TextScanner;
  readonly #length: number;
  readonly #isByLine: boolean;

  /** `isByLine`: each record begins on a line of its own, and further values on the line are ignored. */
  constructor(bytes: Uint8Array, isByLine: boolean) {
    this.#scanner = new TextScanner(bytes);
    this.#length = bytes.length;
    this.#isByLine = isByLine;
  }

  next(): number | undefined {
    return this.#scanner.seekWord() ? this.#scanner.takeNumber() : undefined;
  }

  endRecord(): void {
    if (this.#isByLine) this.#scanner.skipLine();
  }

  isAtEnd(): boolean {
    return !this.#scanner.seekWord();
  }

  maxRemaining(): number {
    return (this.#length * (1 - this.#scanner.progress) + 1) / 2;
  }

  get progress(): number {
    return this.#scanner.progress;
  }
}

/** The values of a binary PLY of either byte order. */
export class PlyBinaryValues implements PlyValues {
  readonly #view: DataView;
  readonly #isLittle: boolean;
  #offset = 0;

  constructor(bytes: Uint8Array, isLittle: boolean) {
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#isLittle = isLittle;
  }

  next(type: PlyType): number | undefined {
    const offset = this.#offset;
    const end = offset + bytesOfType(type);
    if (end > this.#view.byteLength) return undefined;
    this.#offset = end;
    switch (type) {
      case 'int8':
        return this.#view.getInt8(offset);
      case 'uint8':
        return this.#view.getUint8(offset);
      case 'int16':
        return this.#view.getInt16(offset, this.#isLittle);
      case 'uint16':
        return this.#view.getUint16(offset, this.#isLittle);
      case 'int32':
        return this.#view.getInt32(offset, this.#isLittle);
      case 'uint32':
        return this.#view.getUint32(offset, this.#isLittle);
      case 'float32':
        return this.#view.getFloat32(offset, this.#isLittle);
      case 'float64':
        return this.#view.getFloat64(offset, this.#isLittle);
    }
  }

  endRecord(): void {
    // Binary records have no end.
  }

  isAtEnd(): boolean {
    return this.#offset >= this.#view.byteLength;
  }

  maxRemaining(type: PlyType): number {
    return (this.#view.byteLength - this.#offset) / bytesOfType(type);
  }

  get progress(): number {
    return this.#view.byteLength === 0 ? 1 : this.#offset / this.#view.byteLength;
  }
}
