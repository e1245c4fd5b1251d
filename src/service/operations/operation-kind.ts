import type { Static, TObject, TProperties } from 'typebox';
import type { JobParameters } from '../kernel/messages.js';
import type { Parameters } from './parameters.js';

/**
 * One operation of the API. The service validates and describes it by this record, the kernel types its job handler by
 * it, and `npm run generate` writes the part that the nodes need. Its name, its parameters and their choices are the
 * keys of their texts in the catalogs of the operation node.
 */
export interface OperationKind {
  /** The name on the wire. */
  name: string;
  input: 'file' | 'model';
  output: OperationOutput | undefined;
  parameters: Parameters;
  /** Whether its job handler runs parts in other threads, if it gets a runner. Default: it uses one thread. */
  canUseThreads?: boolean;
  /** The fields of the result besides the ids, and the name of its schema. Default: only a report, if there is one. */
  result?: { schemaName: ResultSchemaName; fields: TProperties };
  /** The dialogs that offer the operation. A step of *model process* can be any operation that a dialog offers. */
  dialogs: readonly DialogName[];
}

/** The name of the schema of a result in `/openapi.json`. */
export type ResultSchemaName = `${string}Result`;

/** A node whose dialog has a list of operations: *model repair* or *model operation*. */
export type DialogName = 'repair' | 'operation';

/** What an operation creates. */
export interface OperationOutput {
  kind: 'file' | 'model';
  /** Whether a file contains the model, so that nodes continue with it. */
  isModelFile?: boolean;
  /** Returns the filename of the output for the filename of the input. */
  createFilename(filename: string, parameters: JobParameters): string;
  /** Returns the media type of the output. */
  findMediaType(parameters: JobParameters): string;
}

/** The media type of models: they are stored in the internal format. */
export const INTERNAL_TYPE = 'application/octet-stream';

/** The output of operations that create a model. */
export const MODEL_OUTPUT: OperationOutput = {
  kind: 'model',
  createFilename: (filename) => filename,
  findMediaType: () => INTERNAL_TYPE,
};

/** Returns a filename without its extension. */
export function removeExtension(filename: string): string {
  return filename.replace(/\.[^.]*$/, '');
}

type ValueOf<P> = P extends { values: readonly (infer Value)[] }
  ? Value
  : P extends { find: (text: string) => infer Value | undefined }
    ? Exclude<Value, undefined>
    : P extends { maxLength: number }
      ? string
      : P extends { word: infer Word }
        ? number | Word
        : number;

type OptionalNames<P extends Parameters> = {
  [Name in keyof P]: P[Name] extends { isOptional: true } | { replacedBy: string } ? Name : never;
}[keyof P];

/** The parameters of a job of the operation `Kind`, as `readParameters` returns them. */
export type ParametersOf<Kind extends OperationKind> = {
  -readonly [Name in Exclude<keyof Kind['parameters'], OptionalNames<Kind['parameters']>>]: ValueOf<
    Kind['parameters'][Name]
  >;
} & { -readonly [Name in OptionalNames<Kind['parameters']>]?: ValueOf<Kind['parameters'][Name]> };

/** The fields of the result of the operation `Kind`. */
export type ResultFieldsOf<Kind extends OperationKind> = Kind extends { result: { fields: infer Fields } }
  ? Fields extends TProperties
    ? Static<TObject<Fields>>
    : never
  : Record<never, never>;
