import { createHash } from 'node:crypto';
import { appendFileSync } from 'node:fs';

/** An operation that the service answered for, and all that it said about its end. */
export interface WitnessedOperation {
  kind: string;
  /** Whether it succeeded; undefined as long as nobody was told of its end. */
  isSuccessful?: boolean;
  /** The id of what it made, once that was told. */
  outputId?: string;
}

/** What was promised: kept outside of the service, and written down before anything else happens. */
export interface Witness {
  /** SHA-256 of each file whose upload was answered, by its id. */
  files: Map<string, string>;
  operations: Map<string, WitnessedOperation>;
  /** The ids of those files that hold a model. */
  modelFiles: string[];
  file(id: string, bytes: Uint8Array): void;
  started(id: string, kind: string): void;
  /** Throws where the service said something else before. */
  ended(id: string, isSuccessful: boolean): void;
  /** Throws where the service named another output before. */
  made(id: string, outputId: string): void;
}

export function digestOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** Notes every promise in memory and, a line of JSON each, in `log`. */
export function createWitness(log: string): Witness {
  const files: Witness['files'] = new Map();
  const operations: Witness['operations'] = new Map();
  const note = (entry: object): void => appendFileSync(log, `${JSON.stringify(entry)}\n`);
  const known = (id: string): WitnessedOperation => {
    const operation = operations.get(id);
    if (!operation) throw new Error(`operation ${id} was never answered for`);
    return operation;
  };
  return {
    files,
    operations,
    modelFiles: [],
    file(id, bytes) {
      if (files.has(id)) throw new Error(`the file id ${id} was given twice`);
      const sha256 = digestOf(bytes);
      files.set(id, sha256);
      note({ file: id, size: bytes.length, sha256 });
    },
    started(id, kind) {
      if (operations.has(id)) throw new Error(`the operation id ${id} was given twice`);
      operations.set(id, { kind });
      note({ started: id, kind });
    },
    ended(id, isSuccessful) {
      const operation = known(id);
      if (operation.isSuccessful === isSuccessful) return;
      if (operation.isSuccessful !== undefined) throw new Error(`operation ${id} ended twice, and differently`);
      operation.isSuccessful = isSuccessful;
      note({ ended: id, isSuccessful });
    },
    made(id, outputId) {
      const operation = known(id);
      if (operation.outputId === outputId) return;
      if (operation.outputId !== undefined) throw new Error(`operation ${id} has two results`);
      operation.outputId = outputId;
      note({ made: id, outputId });
    },
  };
}
