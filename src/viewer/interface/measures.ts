import type { Analysis } from '../../api/index.js';

/** The unit of the lengths that the viewer shows. Models are in mm. */
export type LengthUnit = 'mm' | 'inch';

const MM_PER_INCH = 25.4;
const MAX_DIGITS = 5;

/** Formats the numbers of the viewer in the language of its texts. */
export class NumberFormat {
  readonly #integers: Intl.NumberFormat;
  readonly #lengths: Intl.NumberFormat;

  constructor(language: string) {
    this.#integers = new Intl.NumberFormat(language === 'en' ? 'en-US' : language);
    this.#lengths = new Intl.NumberFormat(language === 'en' ? 'en-US' : language, {
      maximumSignificantDigits: MAX_DIGITS,
    });
  }

  count(value: number): string {
    return this.#integers.format(value);
  }

  /** Formats a length in a unit, with five significant digits. */
  length(mm: number, unit: LengthUnit): string {
    return this.#lengths.format(unit === 'inch' ? mm / MM_PER_INCH : mm);
  }

  /** The dimensions of a model: the values of a text. */
  dimensions({ dimensionXMm, dimensionYMm, dimensionZMm }: Analysis, unit: LengthUnit): Record<string, string> {
    const [x, y, z] = [dimensionXMm, dimensionYMm, dimensionZMm].map((size) => this.length(size, unit));
    return { x: x ?? '', y: y ?? '', z: z ?? '', unit };
  }
}
