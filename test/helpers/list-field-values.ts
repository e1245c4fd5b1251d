/** A node with a value in a field, and whether the node accepts that value. */
export interface FieldValue {
  /** Node type and settings, such as `import {"maxAngle":"-3"}`. */
  name: string;
  type: string;
  settings: Record<string, unknown>;
  isValid: boolean;
}

/** The values of a field of a node. A value of a typed input is `[value, type]`. */
export interface FieldValues {
  valid: readonly unknown[];
  invalid: readonly unknown[];
}

/** Placeholders in the settings, replaced by an uploaded file, an imported model, a started operation and a path. */
export const PLACEHOLDERS = {
  fileId: '00000000-0000-4000-8000-000000000001',
  resultId: '00000000-0000-4000-8000-000000000002',
  operationId: '00000000-0000-4000-8000-000000000003',
  path: '/placeholder/model.off',
  folder: '/placeholder/',
} as const;

/** The environment variables to which the settings refer. */
export const VARIABLES = { FIELD_UNIT: 'mm', FIELD_FORMAT: 'obj', FIELD_SIZE: '20', FIELD_FILE: 'part.stl' } as const;

/** The properties of a message to which the settings refer. */
export const MESSAGE = {
  unit: 'mm',
  format: 'obj',
  size: 20,
  file: 'part.stl',
  helpers: 'keep',
  parameters: { axis: 'x' },
} as const;

/** Returns the nodes for the values of a field, with `settings` for their other fields. */
export function listField(type: string, field: string, { valid, invalid }: FieldValues, settings = {}): FieldValue[] {
  const toRow = (isValid: boolean) => (entry: unknown) => {
    const own = Array.isArray(entry) ? { [field]: entry[0], [`${field}Type`]: entry[1] } : { [field]: entry };
    const row = { ...settings, ...own };
    return { name: `${type} ${JSON.stringify(row)}`, type, settings: row, isValid };
  };
  return [...valid.map(toRow(true)), ...invalid.map(toRow(false))];
}

/** Returns the nodes for the values of a parameter of an operation. */
export function listParameter(operation: string, parameter: string, { valid, invalid }: FieldValues): FieldValue[] {
  const toTyped = (entries: readonly unknown[]) =>
    entries.map((entry) => {
      const [value, type] = Array.isArray(entry) ? entry : [entry, 'num'];
      return { [parameter]: { value, type } };
    });
  const values = { valid: toTyped(valid), invalid: toTyped(invalid) };
  return listField('operation', 'parameters', values, { operation });
}
