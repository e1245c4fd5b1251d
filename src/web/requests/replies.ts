/** Who is signed in. */
export interface SessionReply {
  userId: string;
  username: string;
  isOwner: boolean;
  ownBytes: number;
  quotaBytes: number | null;
}

/** The rule of a field of a form: its values, its bounds, or the length of a text. */
export interface FieldRule {
  proposed?: string | number;
  values?: readonly string[];
  isInteger?: boolean;
  exclusiveMin?: number;
  min?: number;
  max?: number;
  maxLength?: number;
}

/** What the forms are created from. */
export interface OperationTable {
  operations: Readonly<Record<string, Readonly<Record<string, FieldRule>>>>;
  importFormats: readonly { extensions: readonly string[]; hasUnits: boolean }[];
  exportFormats: readonly { id: string; extensions: readonly string[] }[];
  units: readonly string[];
  /** Unit → its length in mm. */
  unitsInMm: Readonly<Record<string, number>>;
  uploadBytes: number;
}

/** A user, as owners see it. */
export interface ListedUser {
  username: string;
  createdAt: string;
  usedBytes: number;
  quotaBytes: number | null;
  isOwner: boolean;
}

/** The service, as owners see it. */
export interface ServiceReply {
  version: string;
  queue: { queued: number; running: number };
  storage: { usedBytes: number; quotaBytes: number | null; freeBytes: number | null };
  users: readonly ListedUser[];
  clients: readonly { clientId: string; createdAt: string }[];
}
