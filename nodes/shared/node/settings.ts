import { isBlank, type NumberRule } from './field-rules.js';
import { DYNAMIC_TYPES } from './typed-input.js';

/** A property of a node's settings: its default, its choices if it is a list, and how a saved value is read. */
export interface Field<T> {
  readonly value: T;
  readonly options?: readonly T[];
  read(saved: unknown): T;
}

/** The properties of a node type by name. */
export type Fields = Record<string, Field<unknown>>;

/** The settings of a node, as read by `readSettings`. */
export type SettingsOf<F extends Fields> = { [K in keyof F]: F[K] extends Field<infer T> ? T : never };

/** Creates a string property. Saved values of other types are read as the default. */
export function textField(value = ''): Field<string> {
  return {
    value,
    read: (saved) => (typeof saved === 'string' ? saved : value),
  };
}

/**
 * Creates a numeric property. The editor saves numbers as strings, so both are read; others are the default. Numbers
 * below the minimum of the rule are raised to it, and rounded if it requires an integer.
 */
export function numberField(value: number, { min, isInteger = false }: NumberRule & { min: number }): Field<number> {
  return {
    value,
    read: (saved) => {
      const isSet = (typeof saved === 'number' || typeof saved === 'string') && !isBlank(saved);
      const input = isSet ? Number(saved) : value;
      return Number.isFinite(input) ? Math.max(min, isInteger ? Math.round(input) : input) : value;
    },
  };
}

/** Creates a Boolean property. Saved values of other types are read as the default. */
export function flagField(value: boolean): Field<boolean> {
  return {
    value,
    read: (saved) => (typeof saved === 'boolean' ? saved : value),
  };
}

/** Creates a property with a list of choices. The first is the default, also for values that are not in the list. */
export function choiceField<const T extends string>(first: T, ...others: T[]): Field<T> {
  const options = [first, ...others];
  return { value: first, options, read: (saved) => options.find((option) => option === saved) ?? first };
}

/**
 * Creates the type of the typed input of a unit. `none`, the default of new nodes: no unit is chosen, and the size of a model
 * without a unit is judged. Nodes without the property have a unit: it was saved before it could be left open.
 */
export function unitTypeField(): Field<'none' | 'str' | (typeof DYNAMIC_TYPES)[number]> {
  const field = choiceField('none', 'str', ...DYNAMIC_TYPES);
  return { ...field, read: (saved) => (saved === undefined ? 'str' : field.read(saved)) };
}

/** The properties of every flow node: its name and the id of its config node. */
export const COMMON_FIELDS = { name: textField(), service: textField() };

/** Reads the saved settings of a node. Properties that an older version did not save get their defaults. */
export function readSettings<F extends Fields>(fields: F, saved: object): SettingsOf<F> {
  const input = new Map<string, unknown>(Object.entries(saved));
  const read = Object.entries(fields).map(([name, field]) => [name, field.read(input.get(name))]);
  // Each property was read by its own reader: `SettingsOf<F>`, which the compiler cannot infer from Object.entries.
  return Object.fromEntries(read) as SettingsOf<F>;
}
