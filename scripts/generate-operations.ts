// Writes what the nodes need of the operations: a table for their runtime halves, and one for their dialogs; the
// extensions of the formats that declare a unit; and the rules of the settings as a script for the dialogs. `npm run
// generate` runs it. The sources are the record of each operation in `src/service/operations/kinds`,
// `src/mesh/formats/registry.ts` and `nodes/shared/node/field-rules.ts`.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { transformSync } from 'esbuild';
import { IMPORT_FORMATS } from '../src/mesh/formats/registry.js';
import { EXPORT } from '../src/service/operations/kinds/export.js';
import { IMPORT } from '../src/service/operations/kinds/import.js';
import { OPERATION_KINDS } from '../src/service/operations/kinds.js';
import type { DialogName, OperationKind } from '../src/service/operations/operation-kind.js';
import { canOmit, type NumberParameter, type Parameter } from '../src/service/operations/parameters.js';

const root = fileURLToPath(new URL('..', import.meta.url));

const HEADER = `// Generated from src/service/operations/kinds: change those files, then run \`npm run generate\`.`;

const RULES = 'nodes/shared/node/field-rules.ts';

const OFFERED_KINDS = OPERATION_KINDS.filter(({ dialogs }) => dialogs.length > 0);

function listNames(kinds: readonly OperationKind[]): string {
  return JSON.stringify(kinds.map(({ name }) => name));
}

function listDialog(dialog: DialogName): string {
  return listNames(OPERATION_KINDS.filter(({ dialogs }) => dialogs.includes(dialog)));
}

/** Returns a table by operation and parameter, of all operations that a dialog offers. */
function createTable(describe: (parameter: Parameter) => object): string {
  const rows = OFFERED_KINDS.map(({ name, parameters }) => {
    const cells = Object.entries(parameters).map(([field, parameter]) => {
      if (parameter.proposed === undefined) throw new Error(`No proposed value for ${field} of ${name}.`);
      return [field, describe(parameter)];
    });
    return [name, Object.fromEntries(cells)];
  });
  return JSON.stringify(Object.fromEntries(rows));
}

function describeForRuntime(parameter: Parameter): object {
  const { proposed, legacyValue } = parameter;
  return { proposed, ...(canOmit(parameter) && { isOptional: true }), ...(legacyValue && { legacyValue }) };
}

function describeForDialog(parameter: Parameter): object {
  const { proposed, legacyValue } = parameter;
  const values = { proposed, ...(legacyValue && { legacyValue }) };
  if ('names' in parameter) return { ...values, values: parameter.names };
  if ('values' in parameter) return { ...values, values: parameter.values };
  if ('maxLength' in parameter) return { ...values, maxLength: parameter.maxLength };
  return { ...values, ...describeRange(parameter) };
}

function describeRange({ isInteger, exclusiveMin, min, max }: NumberParameter): object {
  return { isInteger, exclusiveMin, min, max };
}

function createRuntimeTable(): string {
  const otherFiles = OPERATION_KINDS.filter(({ output }) => output?.kind === 'file' && !output.isModelFile);
  return `${HEADER}

/** The operations in the dialog of *model operation*. */
export const MODEL_OPERATIONS = ${listDialog('operation')} as const;

/** The operations that repair a model: those in the dialog of *model repair*. */
export const REPAIR_OPERATIONS = ${listDialog('repair')} as const;

/** The operations in the list of steps of *model process*. */
export const STEP_OPERATIONS = ${listNames(OFFERED_KINDS)} as const;

/** Operations whose file is not the model. Its id is in the payload and in the result of the operation only. */
export const OPERATIONS_WITHOUT_MODEL_FILE: readonly string[] = ${listNames(otherFiles)};

/** A parameter in a dialog: the proposed value, and whether the operation runs the same without it. */
export interface OperationParameter {
  readonly proposed: number | string;
  readonly isOptional?: true;
  /** The value of nodes that were saved before the parameter existed. Default: the proposed one. */
  readonly legacyValue?: number | string;
}

/** Operation → parameter name → parameter, for all operations in dialogs. */
export const OPERATION_PARAMETERS: Readonly<Record<string, Readonly<Record<string, OperationParameter>>>> = ${createTable(describeForRuntime)};
`;
}

function createDialogTable(): string {
  return `${HEADER}
// The editor loads this script before the scripts of the nodes that use it.
(() => {
  // The operations of the model operation node, the model repair node, and the steps of the model process node.
  const MODEL_OPERATIONS = ${listDialog('operation')};
  const REPAIR_OPERATIONS = ${listDialog('repair')};
  const STEP_OPERATIONS = ${listNames(OFFERED_KINDS)};

  // The values that the local service accepts: operation → parameter → rule. \`proposed\` is the initial value,
  // \`legacyValue\` that of nodes that were saved before the parameter existed.
  const OPERATIONS = ${createTable(describeForDialog)};

  // What the local service imports: units, the handling of helper bodies, and the bounds of the optional numbers.
  const UNITS = ${JSON.stringify(IMPORT.parameters.measurementUnits.names)};
  const HELPER_HANDLINGS = ${JSON.stringify(IMPORT.parameters.helpers.values)};
  const IMPORT_NUMBERS = ${JSON.stringify({
    accuracyMm: describeRange(IMPORT.parameters.accuracyMm),
    maxAngle: describeRange(IMPORT.parameters.maxAngle),
    plate: describeRange(IMPORT.parameters.plate),
  })};

  // The formats of an export of the local service.
  const FORMATS = ${JSON.stringify(EXPORT.parameters.exportToFormat.names)};

  window.modelProcessing = Object.assign(window.modelProcessing ?? {}, {
    MODEL_OPERATIONS,
    REPAIR_OPERATIONS,
    STEP_OPERATIONS,
    OPERATIONS,
    UNITS,
    HELPER_HANDLINGS,
    IMPORT_NUMBERS,
    FORMATS,
  });
})();
`;
}

function createFormatTable(): string {
  const extensions = IMPORT_FORMATS.filter(({ hasUnits }) => hasUnits).flatMap((each) => each.extensions);
  return `// Generated from src/mesh/formats/registry.ts: change the formats, then run \`npm run generate\`.

/** The extensions of the formats that declare the unit of their coordinates. */
export const EXTENSIONS_WITH_UNITS: readonly string[] = ${JSON.stringify(extensions)};
`;
}

/** Returns the rules of the settings as a script for the editor. */
function createRulesScript(): string {
  const source = readFileSync(path.join(root, RULES), 'utf8');
  const { code } = transformSync(source, { loader: 'ts', format: 'esm', target: 'es2022' });
  const [body = '', names = ''] = code.split(/^export \{([^}]*)\};$/m);
  return `// Generated from ${RULES}: change that file, then run \`npm run generate\`.
// The editor loads this script before the scripts of the nodes that use it.
(() => {
${body}
window.modelProcessing = Object.assign(window.modelProcessing ?? {}, {${names}});
})();
`;
}

function format(file: string, source: string): string {
  const biome = path.join(root, 'node_modules/@biomejs/biome/bin/biome');
  const args = [biome, 'format', `--stdin-file-path=${file}`];
  return execFileSync(process.execPath, args, { cwd: root, input: source, encoding: 'utf8' });
}

/** Returns the generated files by their path in the repository. */
export function generateOperations(): ReadonlyMap<string, string> {
  const sources = {
    'nodes/shared/operations.generated.ts': createRuntimeTable(),
    'nodes/shared/formats.generated.ts': createFormatTable(),
    'resources/operations.generated.js': createDialogTable(),
    'resources/field-rules.generated.js': createRulesScript(),
  };
  return new Map(Object.entries(sources).map(([file, source]) => [file, format(file, source)]));
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  for (const [file, source] of generateOperations()) writeFileSync(path.join(root, file), source);
