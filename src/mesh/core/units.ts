/** Units that lengths may be given in, each in mm. The inch is the international one (25.4 mm exactly). */
export const UNIT_IN_MM = { mm: 1, cm: 10, m: 1000, um: 0.001, inch: 25.4, ft: 304.8 } as const;

/** A unit of `UNIT_IN_MM`. */
export type Unit = keyof typeof UNIT_IN_MM;

/** The unit that a name means, without regard to case; `undefined` for a name that means none. */
export function readUnit(name: string): Unit | undefined {
  const lower = name.trim().toLowerCase();
  return Object.hasOwn(UNIT_IN_MM, lower) ? (lower as Unit) : undefined; // hasOwn has just said that it is a key
}
