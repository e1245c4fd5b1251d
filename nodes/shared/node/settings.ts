/** One field of a node's settings: its default, how a saved value is read, and its choices where it has a list of them. */
export interface Field<T> {
  readonly value: T;
  readonly options?: readonly T[];
  read(saved: unknown): T;
}

export type Fields = Record<string, Field<unknown>>;
export type SettingsOf<F extends Fields> = { [K in keyof F]: F[K] extends Field<infer T> ? T : never };

/** A text; anything else that was saved counts as the default. */
export function textField(value = ''): Field<string> {
  return {
    value,
    read: (saved) => (typeof saved === 'string' ? saved : value),
  };
}

/** A number of at least `min`. The editor saves what was typed, so a text of digits is a number too. */
export function numberField(value: number, min: number): Field<number> {
  return {
    value,
    read: (saved) => {
      const isGiven = typeof saved === 'number' || (typeof saved === 'string' && saved.trim() !== '');
      const input = isGiven ? Number(saved) : value;
      return Number.isFinite(input) ? Math.max(min, input) : value;
    },
  };
}

/** A choice between yes and no. */
export function flagField(value: boolean): Field<boolean> {
  return {
    value,
    read: (saved) => (typeof saved === 'boolean' ? saved : value),
  };
}

/** One of a list; the first is the default. */
export function choiceField<const T extends string>(first: T, ...others: T[]): Field<T> {
  const options = [first, ...others];
  return { value: first, options, read: (saved) => options.find((option) => option === saved) ?? first };
}

/** What every flow node has: its name and its config node. */
export const COMMON_FIELDS = { name: textField(), service: textField() };

/** Reads the saved settings of a node: fields that an older version did not know get their defaults. */
export function readSettings<F extends Fields>(fields: F, saved: object): SettingsOf<F> {
  const input = new Map<string, unknown>(Object.entries(saved));
  const read = Object.entries(fields).map(([name, field]) => [name, field.read(input.get(name))]);
  // Each field was read by its own reader, which the compiler cannot follow through Object.entries.
  return Object.fromEntries(read) as SettingsOf<F>;
}
