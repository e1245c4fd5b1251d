/** A session of the page of the service, a one-time code that starts one, or a browser in which its user has signed in. */
export interface SessionRow {
  /** SHA-256 of the secret in the cookie, or of the code. */
  hash: string;
  kind: 'session' | 'code' | 'device';
  user_id: string;
  /** That of the user when the session began. It ends with the password: the hash of a new one differs. */
  password_hash: string;
  expires_at: number;
  /** When a session ends, however often it is used. Null for a code and a device. */
  ends_at: number | null;
}

/** A user who manages the service in its page. */
export interface OwnerRow {
  user_id: string;
}

/** The failed attempts of a caller to log in. Only in PostgreSQL: one process keeps them in memory. */
export interface FailedLoginRow {
  /** A hash of the network, the client and the user. */
  caller: string;
  /** Since its last success. */
  count: number;
  /** The time of the last one. */
  failed_at: number;
}
