// The selection of operations and parameters, shared by several dialogs.
// The editor loads this script before the scripts of the nodes that use it.
(() => {
  const CUSTOM_OPERATION = 'other';
  const DYNAMIC_TYPES = ['msg', 'flow', 'global', 'env', 'jsonata'];

  // Parameter rules: the default, and the accepted values or bounds. The bounds are those of the local service.
  const choice = (defaultValue, ...values) => ({ defaultValue: defaultValue, values: values });
  const integer = (defaultValue, min, max) => ({ defaultValue: defaultValue, isInteger: true, min: min, max: max });
  // The limit of 1 km exceeds every part that can be printed.
  const millimeters = (defaultValue) => ({ defaultValue: defaultValue, exclusiveMin: 0, max: 1e6 });

  // The operations of the model operation node. The model process node offers them too, after the repair.
  const MODEL_OPERATIONS = [
    'analyze',
    'geometrical-repair',
    'shrinkwrap-repair',
    'scale',
    'reduce-triangles',
    'hollowing',
    'wall-thickness-analysis',
    'thumbnail',
  ];

  /** operation → parameter → rule */
  const OPERATIONS = {
    analyze: {},
    repair: { innerShells: choice('auto', 'auto', 'void', 'merge') },
    'geometrical-repair': {},
    'shrinkwrap-repair': { accuracy: choice('Smooth', 'Rough', 'Smooth', 'Detailed') },
    scale: { axis: choice('z', 'x', 'y', 'z'), scaleToSizeMm: millimeters(100) },
    'reduce-triangles': {
      accuracyMm: millimeters(0.1),
      maxAngle: integer(15, 0, 180),
      numberOfIterations: integer(1, 1, 1000),
    },
    hollowing: { wallThicknessMm: millimeters(2) },
    'wall-thickness-analysis': { minimalWallThicknessMm: millimeters(1), accuracyWallThickness: integer(2, 0, 100) },
    thumbnail: {
      width: integer(400, 1, 4096),
      height: integer(300, 1, 4096),
      cameraAngleX: integer(25, -360, 360),
      cameraAngleY: integer(0, -360, 360),
      cameraAngleZ: integer(-35, -360, 360),
      background: choice('plain', 'plain', 'transparent'),
    },
  };

  // Returns a text of the model operation catalog, which has the names of operations and parameters for all nodes.
  function translate(key, placeholders) {
    return RED._(`@model-processing/node-red/model-processing-operation:operation.${key}`, placeholders);
  }

  // Returns the reason why a value is invalid for a parameter. Returns undefined if it is valid, or is known only at
  // run time.
  function validateParameter(rule, { value, type }) {
    if (/^\$\{[^}]+\}$/.test(value)) return undefined;
    if (type !== 'num' && type !== 'str') {
      return RED.utils.validateTypedProperty(value, type) === true ? undefined : translate('invalid.expression');
    }
    if (rule.values) {
      const isListed = rule.values.some((listed) => listed.toLowerCase() === value.toLowerCase());
      return isListed ? undefined : translate('invalid.words', { values: rule.values.join(', ') });
    }
    const number = Number(value);
    const { exclusiveMin = Number.NEGATIVE_INFINITY, min = Number.NEGATIVE_INFINITY, max } = rule;
    const isNumber = value.trim() !== '' && (rule.isInteger ? Number.isInteger(number) : Number.isFinite(number));
    if (isNumber && number > exclusiveMin && number >= min && number <= max) return undefined;
    if (!rule.isInteger) return translate('invalid.number', { exclusiveMin: exclusiveMin, max: max });
    return translate('invalid.whole', { min: min, max: max });
  }

  // Validates the saved operation and parameters of a step or node. Returns true, or else the reason if `opt` is
  // given and false if not.
  function checkOperation(step, opt) {
    if (step.operation === CUSTOM_OPERATION) {
      const isValidName = /^[a-z][a-z0-9-]*$/.test(step.ownOperation);
      return isValidName || (opt ? translate('invalid.ownOperation') : false);
    }
    for (const [name, rule] of Object.entries(OPERATIONS[step.operation] ?? {})) {
      const problem = step.parameters?.[name] && validateParameter(rule, step.parameters[name]);
      if (problem) return opt ? `${translate(`parameter.${name}`)}: ${problem}` : false;
    }
    return true;
  }

  // Appends a row of label and field to a form and returns the field.
  function addRow(container, text, input) {
    const row = $('<div class="form-row"></div>').appendTo(container);
    // The rows of the HTML templates have whitespace between label and field too.
    row.append($('<label></label>').text(text), ' ');
    return input.css('width', '70%').appendTo(row);
  }

  // Marks a field as invalid in the style of the editor, with the reason as tooltip. Removes the mark if `problem` is
  // undefined.
  function showProblem(input, problem) {
    const elements = input.next('.red-ui-typedInput-container').addBack();
    elements.toggleClass('input-error', problem !== undefined).attr('title', problem ?? '');
  }

  // Returns the types of the typed input of a parameter.
  function valueTypesFor(rule) {
    if (!rule.values) return ['num', ...DYNAMIC_TYPES];
    const options = rule.values.map((value) => ({ value: value, label: translate(`word.${value}`) }));
    return [{ value: 'str', label: translate('type.word'), icon: 'fa fa-list', options: options }, ...DYNAMIC_TYPES];
  }

  // Appends a row for each parameter of an operation. Returns a function that reads the settings from the rows.
  function addParameters(container, operation, step) {
    const inputs = Object.entries(OPERATIONS[operation]).map(([name, rule]) => {
      const saved = step.parameters?.[name] ?? { value: String(rule.defaultValue), type: rule.values ? 'str' : 'num' };
      const input = addRow(container, translate(`parameter.${name}`), $('<input type="text">'));
      input
        .typedInput({ types: valueTypesFor(rule) })
        .typedInput('type', saved.type)
        .typedInput('value', saved.value);
      return [name, input];
    });
    const read = (input) => ({ value: input.typedInput('value'), type: input.typedInput('type') });
    for (const [name, input] of inputs) {
      const validate = () => showProblem(input, validateParameter(OPERATIONS[operation][name], read(input)));
      input.on('change', validate);
      validate();
    }
    return () => ({ parameters: Object.fromEntries(inputs.map(([name, input]) => [name, read(input)])) });
  }

  // Appends the rows of an operation that the user names. Returns a function that reads the settings from the rows.
  function addCustomOperation(container, step) {
    const name = addRow(container, translate('label.ownOperation'), $('<input type="text">')).val(
      step.ownOperation ?? '',
    );
    const validateName = () => {
      const result = checkOperation({ operation: CUSTOM_OPERATION, ownOperation: name.val().trim() }, {});
      showProblem(name, result === true ? undefined : result);
    };
    name.on('change input', validateName);
    validateName();
    const input = addRow(container, translate('label.ownParameters'), $('<input type="text">'));
    input
      .typedInput({ types: ['json', ...DYNAMIC_TYPES] })
      .typedInput('type', step.ownParametersType || 'json')
      .typedInput('value', step.ownParameters || '{}');
    return () => ({
      ownOperation: name.val().trim(),
      ownParameters: input.typedInput('value'),
      ownParametersType: input.typedInput('type'),
    });
  }

  // Appends a list of `operations` and the rows of the selected one. Returns a function that reads the settings to
  // save.
  function editOperation(container, step, operations) {
    const select = addRow(container, translate('label.operation'), $('<select></select>'));
    for (const name of operations) {
      $('<option></option>')
        .val(name)
        .text(translate(`operation.${name}`))
        .appendTo(select);
    }
    const rows = $('<div></div>').appendTo(container);
    let read = () => ({});
    const showRows = (saved) => {
      rows.empty();
      const isCustom = select.val() === CUSTOM_OPERATION;
      read = isCustom ? addCustomOperation(rows, saved) : addParameters(rows, select.val(), saved);
    };
    // Flows of older versions may have no operation.
    select.val(operations.includes(step.operation) ? step.operation : operations[0]);
    select.on('change', () => showRows({}));
    showRows(step);
    return () => {
      const defaults = { parameters: {}, ownOperation: '', ownParameters: '{}', ownParametersType: 'json' };
      return { operation: select.val(), ...defaults, ...read() };
    };
  }

  // Turns `list` into an editable list of steps. Returns `read`, which returns the steps to save.
  function editSteps(list, steps, operations) {
    list.editableList({
      height: 'auto',
      sortable: true,
      removable: true,
      addItem: (row, _index, { step }) => {
        row.css({ overflow: 'hidden' });
        row.data('read', editOperation(row, step ?? { operation: operations[0] }, operations));
      },
    });
    for (const step of steps) list.editableList('addItem', { step: step });
    const read = () => {
      const rows = list.editableList('items').toArray();
      return rows.map((row) => $(row).data('read')());
    };
    return { read };
  }

  window.modelProcessing = Object.assign(window.modelProcessing ?? {}, {
    MODEL_OPERATIONS,
    OPERATIONS,
    checkOperation,
    editOperation,
    editSteps,
  });
})();
