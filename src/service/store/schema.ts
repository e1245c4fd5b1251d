/** The tables. Times are ms since 1970, flags 0 or 1, objects JSON. All ids are UUIDs but those of clients and tokens. */
export interface Schema {
  store: { version: number };
  user: UserRow;
  client: ClientRow;
  token: TokenRow;
  file: FileRow;
  operation: OperationRow;
}

export interface UserRow {
  id: string;
  username: string;
  /** scrypt with its parameters and salt. */
  password_hash: string;
  created_at: number;
}

export interface ClientRow {
  id: string;
  /** SHA-256 of a random secret. */
  secret_hash: string;
  created_at: number;
}

export interface TokenRow {
  /** SHA-256 of the token. */
  hash: string;
  kind: 'access' | 'refresh';
  /** Shared by all tokens that descend from one password grant. */
  family: string;
  user_id: string;
  client_id: string;
  created_at: number;
  expires_at: number;
  /** A refresh token serves once. */
  used_at: number | null;
  revoked_at: number | null;
}

/** Bytes that are kept: a `file` was uploaded or exported, a `model` is in the internal format. */
export interface FileRow {
  id: string;
  owner: string;
  kind: 'file' | 'model';
  /** Of a model: the name of the file it was imported from. */
  filename: string;
  media_type: string;
  size: number;
  created_at: number;
  read_at: number;
  /** Since then the bytes are gone; the row stays to tell an expired file from an unknown one. */
  deleted_at: number | null;
}

export interface OperationRow {
  id: string;
  owner: string;
  kind: string;
  state: 'queued' | 'running' | 'completed';
  /** Null until completed. */
  is_successful: 0 | 1 | null;
  input_id: string;
  /** The id that the output gets; the output itself exists once the operation succeeded. Null where it makes none. */
  output_id: string | null;
  /** The name of the input. */
  filename: string;
  parameters: string;
  /** The fields of the result besides the ids. */
  result: string | null;
  report: string | null;
  /** `{ code, message }` as in the status record. */
  error: string | null;
  attempts: number;
  progress: number | null;
  created_at: number;
  started_at: number | null;
  finished_at: number | null;
  callback_url: string | null;
  /** `due` from completion on, until it was delivered or given up. */
  callback_state: 'none' | 'waiting' | 'due' | 'delivered' | 'given-up';
  callback_attempts: number;
  callback_next_at: number | null;
  /** SHA-256 of the input's bytes, as the kernel process that completed it told. */
  input_hash: string | null;
  /** The version of the kernel that completed it. */
  kernel: string | null;
}
