import { type FieldValue, type FieldValues, listField, listParameter, PLACEHOLDERS } from './list-field-values.js';

// Expressions with errors of syntax, and empty ones.
const INVALID_EXPRESSIONS = [
  ['payload[', 'msg'],
  ['', 'msg'],
  ['a[', 'flow'],
  ['', 'global'],
  ['$sum(', 'jsonata'],
  ['', 'jsonata'],
  ['', 'env'],
];

function listId(type: string, field: 'fileId' | 'inputId' | 'operationId', property: keyof typeof PLACEHOLDERS) {
  return listField(type, field, {
    valid: [
      [PLACEHOLDERS[property], 'str'],
      [` ${PLACEHOLDERS[property].toUpperCase()} `, 'str'],
      [`payload.${property}`, 'msg'],
      [`payload["${property}"]`, 'msg'],
      [`payload.${property}`, 'jsonata'],
    ],
    invalid: [['', 'str'], [' ', 'str'], ['bracket', 'str'], ...INVALID_EXPRESSIONS],
  });
}

// biome-ignore-start lint/suspicious/noTemplateCurlyInString: Node-RED's syntax for environment variables
const UNITS: FieldValues = {
  valid: [
    ...['mm', ' Inch ', 'FT', 'um', '${FIELD_UNIT}', '$(FIELD_UNIT)'].map((unit) => [unit, 'str']),
    ['', 'none'],
    ['parsec', 'none'],
    ['unit', 'msg'],
    ['FIELD_UNIT', 'env'],
    ['unit', 'jsonata'],
  ],
  invalid: [...['parsec', '', ' ', 'millimeter', '${FIELD UNIT}'].map((unit) => [unit, 'str']), ...INVALID_EXPRESSIONS],
};
const OPTIONAL_TEXT: FieldValues = {
  valid: [
    ['', 'str'],
    [' ', 'str'],
    ['', 'msg'],
    ['missing', 'msg'],
    ['FIELD_MISSING', 'env'],
  ],
  invalid: [
    ['payload[', 'msg'],
    ['$sum(', 'jsonata'],
  ],
};
const FORMATS: FieldValues = {
  valid: [
    ...['stl', 'STL', '.obj', ' 3mf ', 'stl-ascii', 'glb', '${FIELD_FORMAT}'].map((format) => [format, 'str']),
    ['format', 'msg'],
    ['FIELD_FORMAT', 'env'],
  ],
  invalid: [...['step', 'docx', '', 'stl ascii'].map((format) => [format, 'str']), ...INVALID_EXPRESSIONS],
};
const FILENAMES: FieldValues = {
  valid: [
    ...[
      '',
      ' ',
      'part.off',
      ' part.off ',
      'PART.OFF',
      'folder/part.stl',
      'C:\\parts\\a.obj',
      'part.txt',
      '${FIELD_FILE}',
    ].map((name) => [name, 'str']),
    ['file', 'msg'],
    ['', 'msg'],
    ['', 'jsonata'],
    ['FIELD_FILE', 'env'],
  ],
  invalid: [
    ...['part', 'part.', 'a.stl/part', '.stl'].map((name) => [name, 'str']),
    ['payload[', 'msg'],
    ['$sum(', 'jsonata'],
  ],
};
const SOURCES: FieldValues = {
  valid: [
    ['bracket.stl', 'sample'],
    [PLACEHOLDERS.path, 'str'],
  ],
  invalid: [
    ['cube.stl', 'sample'],
    ['', 'sample'],
    ...['', ' ', 'https://example.com/a.stl', 'file:///a.stl', PLACEHOLDERS.folder].map((path) => [path, 'str']),
    ...INVALID_EXPRESSIONS,
  ],
};
const TARGET_PATHS: FieldValues = {
  valid: [
    ...['', ' ', 'a.stl', 'parts/a.stl', 'parts/', 'parts/../b.stl', '..c.stl'].map((path) => [path, 'str']),
    ['file', 'msg'],
    ['', 'msg'],
    ['FIELD_FILE', 'env'],
  ],
  invalid: [
    ...['../a.stl', 'parts/../../a.stl', '..', '../model-downloads/a.stl', 'https://example.com/a.stl'].map((path) => [
      path,
      'str',
    ]),
    ['payload[', 'msg'],
  ],
};
const LENGTHS: FieldValues = {
  valid: [
    '0.1',
    '1e3',
    '0x10',
    '1000000',
    '${FIELD_SIZE}',
    ['size', 'msg'],
    ['FIELD_SIZE', 'env'],
    ['size * 2', 'jsonata'],
  ],
  invalid: ['0', '-3', '1000001', 'NaN', 'Infinity', 'wide', '', ' ', ['', 'msg'], ['', 'env'], ['size *', 'jsonata']],
};
// biome-ignore-end lint/suspicious/noTemplateCurlyInString: Node-RED's syntax for environment variables
const OPTIONAL_NUMBER = {
  valid: [
    ['', 'num'],
    [' ', 'num'],
    ['', 'msg'],
    ['', 'env'],
    ['size', 'msg'],
  ],
  invalid: [
    ['NaN', 'num'],
    ['wide', 'num'],
    ['payload[', 'msg'],
  ],
};

const HELPERS: FieldValues = {
  valid: [
    ['apply', 'str'],
    ['Keep', 'str'],
    ['ignore', 'str'],
    ['', 'str'],
    ['helpers', 'msg'],
  ],
  invalid: [
    ['drop', 'str'],
    ['payload[', 'msg'],
  ],
};

function asTyped(values: readonly unknown[]): unknown[] {
  return values.map((value) => (Array.isArray(value) ? value : [value, 'num']));
}

/** A step of *model process* with a parameter. */
function createStep(operation: string, parameters: object = {}): object {
  return { operation, parameters, ownOperation: '', ownParameters: '{}', ownParametersType: 'json' };
}

/** The values that the flow nodes accept and refuse, with the local service. */
export const FIELD_VALUES: readonly FieldValue[] = [
  ...listId('import', 'fileId', 'fileId'),
  ...listId('repair', 'inputId', 'resultId'),
  ...listId('export', 'inputId', 'resultId'),
  ...listId('operation', 'inputId', 'resultId'),
  ...listId('wait', 'operationId', 'operationId'),
  ...listId('download', 'fileId', 'fileId'),
  ...listField('import', 'measurementUnits', UNITS),
  ...listField('import', 'helpers', HELPERS),
  ...listField('import', 'plate', {
    valid: [...OPTIONAL_NUMBER.valid, ...asTyped(['1', '1000000'])],
    invalid: [...OPTIONAL_NUMBER.invalid, ...asTyped(['0', '1.5', 'all'])],
  }),
  ...listField('import', 'accuracyMm', {
    valid: [...OPTIONAL_NUMBER.valid, ...asTyped(['0.01', '1000000'])],
    invalid: [...OPTIONAL_NUMBER.invalid, ...asTyped(['0', '-1', '1000001'])],
  }),
  ...listField('import', 'maxAngle', {
    valid: [...OPTIONAL_NUMBER.valid, ...asTyped(['1', '22.5', '90'])],
    invalid: [...OPTIONAL_NUMBER.invalid, ...asTyped(['-3', '0', '90.5'])],
  }),
  ...listField('import', 'entry', OPTIONAL_TEXT),
  ...listField('export', 'exportToFormat', FORMATS),
  ...listField('upload', 'source', SOURCES),
  ...listField('upload', 'filename', FILENAMES, { source: PLACEHOLDERS.path, sourceType: 'str' }),
  ...listField('download', 'path', TARGET_PATHS, { target: 'file' }),
  ...listField('download', 'path', { valid: [['../a.stl', 'str']], invalid: [] }, { target: 'buffer' }),
  ...listParameter('scale', 'scaleToSizeMm', LENGTHS),
  ...listParameter('scale', 'axis', {
    valid: [
      ['x', 'str'],
      [' Y ', 'str'],
    ],
    invalid: [
      ['w', 'str'],
      ['', 'str'],
    ],
  }),
  ...listParameter('reduce-triangles', 'maxAngle', { valid: ['0', '180', '15.0'], invalid: ['-1', '181', '1.5'] }),
  ...listParameter('reduce-triangles', 'targetTriangles', { valid: ['0', '5000'], invalid: ['-1', '2.5'] }),
  ...listParameter('hollowing', 'wallThicknessMm', { valid: ['2'], invalid: ['0'] }),
  ...listParameter('hollowing', 'drainHoleCount', { valid: ['0', '20'], invalid: ['-1', '21', '1.5'] }),
  ...listParameter('hollowing', 'upAxis', {
    valid: [
      ['z', 'str'],
      ['-X', 'str'],
    ],
    invalid: [['+x', 'str']],
  }),
  ...listParameter('thumbnail', 'cameraAngleX', { valid: ['-360', '360'], invalid: ['-361', '22.5'] }),
  ...listParameter('thumbnail', 'width', { valid: ['16'], invalid: ['0', '4097', ''] }),
  ...listField(
    'operation',
    'ownOperation',
    { valid: ['analyze', ' scale '], invalid: ['', 'Analyze', '../file', 'a_b', 'a'.repeat(65)] },
    { operation: 'other', ownParameters: '{"axis":"x","scaleToSizeMm":9}' },
  ),
  ...listField(
    'operation',
    'ownParameters',
    {
      valid: [
        ['{}', 'json'],
        ['null', 'json'],
        ['', 'json'],
        ['parameters', 'msg'],
        ['', 'msg'],
      ],
      invalid: [
        ['[1]', 'json'],
        ['2', 'json'],
        ['{a}', 'json'],
        ['payload[', 'msg'],
        ['{', 'jsonata'],
      ],
    },
    { operation: 'other', ownOperation: 'analyze' },
  ),
  ...listField('operation', 'ownParameters', { valid: [['{a}', 'json']], invalid: [] }, { operation: 'analyze' }),
  ...listField('process', 'measurementUnits', { valid: [['cm', 'str']], invalid: [['parsec', 'str']] }, { steps: [] }),
  ...listField('process', 'helpers', { valid: [['keep', 'str']], invalid: [['drop', 'str']] }, { steps: [] }),
  ...listField('process', 'plate', { valid: [['', 'num']], invalid: [['0', 'num']] }, { steps: [] }),
  ...listField('process', 'exportToFormat', { valid: [['ply', 'str']], invalid: [['doc', 'str']] }, { steps: [] }),
  ...listField('process', 'source', { valid: [['bracket.stl', 'sample']], invalid: [['', 'str']] }, { steps: [] }),
  ...listField('process', 'filename', { valid: [['a.off', 'str']], invalid: [['a', 'str']] }, { steps: [] }),
  ...listField(
    'process',
    'path',
    { valid: [['a.stl', 'str']], invalid: [['../a', 'str']] },
    { steps: [], target: 'file' },
  ),
  ...listField('process', 'steps', {
    valid: [[], [createStep('analyze')], [createStep('scale', { axis: { value: 'z', type: 'str' } })]].map((steps) => [
      steps,
    ]),
    invalid: [
      [createStep('analyze'), createStep('scale', { scaleToSizeMm: { value: '-1', type: 'num' } })],
      [{ ...createStep('other'), ownOperation: 'analyze', ownParameters: '[]' }],
      [{ ...createStep('other'), ownOperation: 'Not a name' }],
      [createStep('analyze'), createStep('preview', { triangles: { value: '5000', type: 'num' } })],
      [createStep('export')],
      [{ parameters: {} }],
      ['analyze'],
      [null],
    ].map((steps) => [steps]),
  }),
  ...listField('operation', 'operation', { valid: ['analyze'], invalid: ['preview', 'Analyze', 'repair', ''] }),
  ...listField('repair', 'operation', { valid: ['repair'], invalid: ['analyze', 'other', ''] }),
];
