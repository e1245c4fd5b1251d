import type { FileRecord, OperationRecord } from '../../api/index.js';
import { AttemptFailure } from '../transport/attempt-failure.js';
import { type Fields, readOptional, readText, readUuid } from './read-fields.js';
import { readOperationStatus } from './read-replies.js';

/** Reads an entry of the list of operations. Throws `BAD_REPLY` if a required field or an id is invalid. */
export function readOperationRecord(fields: Fields): OperationRecord {
  const { report: _report, ...status } = readOperationStatus(fields, readUuid(fields, 'operationId'));
  const record: OperationRecord = status;
  for (const name of ['inputId', 'resultId', 'fileId'] as const) {
    const id = readOptional(fields, name, readUuid);
    if (id !== undefined) record[name] = id;
  }
  const filename = readOptional(fields, 'filename', readText);
  if (filename !== undefined) record.filename = filename;
  return record;
}

/** Reads an entry of the list of files. Throws `BAD_REPLY` if a field is invalid or required and missing. */
export function readFileRecord(fields: Fields): FileRecord {
  const common = {
    filename: readText(fields, 'filename'),
    size: readByteSize(fields),
    creationDate: readText(fields, 'creationDate'),
  };
  const sha256 = readOptional(fields, 'sha256', readText);
  const optional = sha256 === undefined ? {} : { sha256 };
  return readText(fields, 'kind') === 'model'
    ? { kind: 'model', resultId: readUuid(fields, 'resultId'), ...common, ...optional }
    : { kind: 'file', fileId: readUuid(fields, 'fileId'), ...common, ...optional };
}

function readByteSize({ size }: Fields): number {
  if (typeof size === 'number' && size >= 0) return size;
  throw new AttemptFailure('garbled', 'BAD_REPLY', 'invalid field "size" in the reply: expected a number');
}
