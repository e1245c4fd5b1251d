/** Supported length units, each in mm. The inch is the international inch, exactly 25.4 mm. */
export const UNIT_IN_MM = { mm: 1, cm: 10, m: 1000, um: 0.001, inch: 25.4, ft: 304.8 } as const;

/** The name of a supported length unit. */
export type Unit = keyof typeof UNIT_IN_MM;

/** Reads the name of a unit, ignoring case and surrounding white space. Returns `undefined` for any other text. */
export function readUnit(name: string): Unit | undefined {
  const lower = name.trim().toLowerCase();
  return Object.hasOwn(UNIT_IN_MM, lower) ? (lower as Unit) : undefined; // a key, as hasOwn checks
}
