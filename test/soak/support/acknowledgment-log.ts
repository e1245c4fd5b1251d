import { createHash } from 'node:crypto';
import { appendFileSync } from 'node:fs';

/** An operation whose start the service acknowledged, with its outcome as far as the service reported it. */
export interface AcknowledgedOperation {
  kind: string;
  /** Undefined until the service has reported the completion. */
  isSuccessful?: boolean;
  /** The id of the output. Undefined until the service has reported it. */
  outputId?: string;
}

/**
 * Records what the service has acknowledged, outside of the service. Each acknowledgment is written before the next
 * request.
 */
export interface AcknowledgmentLog {
  /** Id of an uploaded file → SHA-256 of its bytes. */
  files: Map<string, string>;
  /** Id → operation. */
  operations: Map<string, AcknowledgedOperation>;
  /** The ids of the files that contain a model. */
  modelFiles: string[];
  /** Records an upload. Throws if the id was assigned before. */
  recordFile(id: string, bytes: Uint8Array): void;
  /** Records a start. Throws if the id was assigned before. */
  recordStart(id: string, kind: string): void;
  /** Records a completion. Throws if the service reported a different outcome before. */
  recordCompletion(id: string, isSuccessful: boolean): void;
  /** Records an output. Throws if the service reported a different output before. */
  recordOutput(id: string, outputId: string): void;
}

/** Returns the SHA-256 of bytes in hexadecimal digits. */
export function computeDigest(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** Creates a log in memory that also appends each acknowledgment to `file` as a line of JSON. */
export function createAcknowledgmentLog(file: string): AcknowledgmentLog {
  const files: AcknowledgmentLog['files'] = new Map();
  const operations: AcknowledgmentLog['operations'] = new Map();
  const append = (entry: object): void => appendFileSync(file, `${JSON.stringify(entry)}\n`);
  const getOperation = (id: string): AcknowledgedOperation => {
    const operation = operations.get(id);
    if (!operation) throw new Error(`The start of operation ${id} was never acknowledged.`);
    return operation;
  };
  return {
    files,
    operations,
    modelFiles: [],
    recordFile(id, bytes) {
      if (files.has(id)) throw new Error(`The file id ${id} was assigned twice.`);
      const sha256 = computeDigest(bytes);
      files.set(id, sha256);
      append({ file: id, size: bytes.length, sha256 });
    },
    recordStart(id, kind) {
      if (operations.has(id)) throw new Error(`The operation id ${id} was assigned twice.`);
      operations.set(id, { kind });
      append({ started: id, kind });
    },
    recordCompletion(id, isSuccessful) {
      const operation = getOperation(id);
      if (operation.isSuccessful === isSuccessful) return;
      if (operation.isSuccessful !== undefined)
        throw new Error(`Operation ${id} completed twice with different outcomes.`);
      operation.isSuccessful = isSuccessful;
      append({ completed: id, isSuccessful });
    },
    recordOutput(id, outputId) {
      const operation = getOperation(id);
      if (operation.outputId === outputId) return;
      if (operation.outputId !== undefined) throw new Error(`Operation ${id} has two results.`);
      operation.outputId = outputId;
      append({ output: id, outputId });
    },
  };
}
