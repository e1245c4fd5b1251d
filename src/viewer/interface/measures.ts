import type { Analysis } from '../../api/index.js';

/** The unit of the lengths that the viewer shows. Models are in mm. */
export type LengthUnit = 'mm' | 'inch';

const MM_PER_INCH = 25.4;
const MAX_DIGITS = 5;
const ESTIMATE_DIGITS = 2;

function toUnit(mm: number, unit: LengthUnit): number {
  return unit === 'inch' ? mm / MM_PER_INCH : mm;
}

/** Formats the numbers of the viewer in the language of its texts. */
export class NumberFormat {
  readonly #integers: Intl.NumberFormat;
  readonly #lengths: Intl.NumberFormat;
  readonly #estimates: Intl.NumberFormat;

  constructor(language: string) {
    const locale = language === 'en' ? 'en-US' : language;
    this.#integers = new Intl.NumberFormat(locale);
    this.#lengths = new Intl.NumberFormat(locale, { maximumSignificantDigits: MAX_DIGITS });
    this.#estimates = new Intl.NumberFormat(locale, { maximumSignificantDigits: ESTIMATE_DIGITS });
  }

  count(value: number): string {
    return this.#integers.format(value);
  }

  /** Formats a length in a unit, with five significant digits. */
  length(mm: number, unit: LengthUnit): string {
    return this.#lengths.format(toUnit(mm, unit));
  }

  /** Formats an estimated length in a unit, with two significant digits. */
  estimate(mm: number, unit: LengthUnit): string {
    return this.#estimates.format(toUnit(mm, unit));
  }

  /** The dimensions of a model: the values of a text. */
  dimensions({ dimensionXMm, dimensionYMm, dimensionZMm }: Analysis, unit: LengthUnit): Record<string, string> {
    const [x, y, z] = [dimensionXMm, dimensionYMm, dimensionZMm].map((size) => this.length(size, unit));
    return { x: x ?? '', y: y ?? '', z: z ?? '', unit };
  }
}
