import { type Static, Type } from 'typebox';
import type { JobParameters } from '../kernel/messages.js';
import type { Parameters } from './parameters.js';

const Text = Type.String({ minLength: 1, maxLength: 4096 });
const Absent = Type.Null();
const callbackUrl = Type.Optional(Type.Union([Text, Absent]));

/** The body that starts an operation. Null means absent. The `read` of each kind checks its fields. */
export const StartBody = Type.Object({
  fileId: Type.Optional(Type.Union([Text, Absent])),
  inputId: Type.Optional(Type.Union([Text, Absent])),
  measurementUnits: Type.Optional(Type.Union([Text, Absent])),
  exportToFormat: Type.Optional(Type.Union([Text, Absent])),
  innerShells: Type.Optional(Type.Union([Text, Absent])),
  callbackUrl,
});

/** The parsed body that starts an operation. */
export type StartBody = Static<typeof StartBody>;

/** One operation of the API: its input, its output and its parameters. */
export interface OperationKind {
  name: string;
  input: 'file' | 'model';
  output: 'file' | 'model' | undefined;
  /** The parameter table, for kinds that have no other fields. Used to generate the OpenAPI description. */
  parameters?: Parameters;
  /** Reads the parameters from the body; `filename` is that of the input. Throws `ServiceError` for invalid ones. */
  read(body: StartBody, filename: string): JobParameters;
  /** Returns the filename of the output for the filename of the input. */
  outputName(filename: string, parameters: JobParameters): string;
  /** Returns the media type of the output. */
  outputMediaType(parameters: JobParameters): string;
}
