// The selection of operations and parameters, shared by several dialogs.
// The editor loads this script before the scripts of the nodes that use it.
(() => {
  const CUSTOM_OPERATION = 'other';
  // Tables of operations.generated.js and dialog-fields.js, which may load after this script.
  const tables = () => window.modelProcessing;

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
    if (rule.isInteger) return translate('invalid.whole', { min: min, max: max });
    if (rule.min !== undefined) return translate('invalid.range', { min: min, max: max });
    return translate('invalid.number', { exclusiveMin: exclusiveMin, max: max });
  }

  // Validates the saved operation and parameters of a step or node. Returns true, or else the reason if `opt` is
  // given and false if not.
  function checkOperation(step, opt) {
    if (step.operation === CUSTOM_OPERATION) {
      const isValidName = /^[a-z][a-z0-9-]*$/.test(step.ownOperation);
      return isValidName || (opt ? translate('invalid.ownOperation') : false);
    }
    for (const [name, rule] of Object.entries(tables().OPERATIONS[step.operation] ?? {})) {
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
    if (!rule.values) return ['num', ...tables().DYNAMIC_TYPES];
    const options = rule.values.map((value) => ({ value: value, label: translate(`word.${value}`) }));
    return [
      { value: 'str', label: translate('type.word'), icon: 'fa fa-list', options: options },
      ...tables().DYNAMIC_TYPES,
    ];
  }

  // Appends a row for each parameter of an operation. Returns a function that reads the settings from the rows.
  function addParameters(container, operation, step) {
    const inputs = Object.entries(tables().OPERATIONS[operation]).map(([name, rule]) => {
      const saved = step.parameters?.[name] ?? { value: String(rule.proposed), type: rule.values ? 'str' : 'num' };
      const input = addRow(container, translate(`parameter.${name}`), $('<input type="text">'));
      input
        .typedInput({ types: valueTypesFor(rule) })
        .typedInput('type', saved.type)
        .typedInput('value', saved.value);
      return [name, input];
    });
    const read = (input) => ({ value: input.typedInput('value'), type: input.typedInput('type') });
    for (const [name, input] of inputs) {
      const validate = () => showProblem(input, validateParameter(tables().OPERATIONS[operation][name], read(input)));
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
      .typedInput({ types: ['json', ...tables().DYNAMIC_TYPES] })
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
    checkOperation,
    editOperation,
    editSteps,
  });
})();
