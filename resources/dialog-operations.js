// The selection of operations and parameters, shared by several dialogs.
// The editor loads this script before the scripts of the nodes that use it.
(() => {
  const CUSTOM_OPERATION = 'other';
  // Row → the icon before its label.
  const ICONS = {
    operation: 'cog',
    ownOperation: 'terminal',
    ownParameters: 'list',
    innerShells: 'clone',
    parts: 'cubes',
    accuracy: 'crosshairs',
    axis: 'arrows',
    scaleToSizeMm: 'expand',
    accuracyMm: 'crosshairs',
    targetTriangles: 'bullseye',
    maxAngle: 'adjust',
    numberOfIterations: 'repeat',
    wallThicknessMm: 'square-o',
    direction: 'exchange',
    drainHoleCount: 'tint',
    drainHoleDiameterMm: 'circle-o',
    upAxis: 'level-up',
    minimalWallThicknessMm: 'square-o',
    accuracyWallThickness: 'crosshairs',
    width: 'arrows-h',
    height: 'arrows-v',
    cameraAngleX: 'camera',
    cameraAngleY: 'camera',
    cameraAngleZ: 'camera',
    background: 'picture-o',
  };
  // Tables and functions of the other scripts, which may load after this script.
  const shared = () => window.modelProcessing;

  // Returns a text of the model operation catalog, which has the names of operations and parameters for all nodes.
  function translate(key) {
    return RED._(`@model-processing/node-red/model-processing-operation:operation.${key}`);
  }

  // Returns the reason why a parameter is invalid, or undefined. A parameter that is not saved has its default.
  function checkParameter(operation, name, typed, isForLocal) {
    const rule = shared().OPERATIONS[operation]?.[name];
    if (!rule || typeof typed?.value !== 'string') return undefined;
    const problem = shared().checkParameter(rule, typed, isForLocal);
    return problem && shared().describeProblem(translate(`parameter.${name}`), problem);
  }

  // Returns the reason why the name of a custom operation is invalid, or undefined.
  function checkOwnOperation(name) {
    const problem = shared().isVariable(name) ? undefined : shared().checkOperationName(name);
    return problem && shared().describeProblem(translate('label.ownOperation'), problem);
  }

  // Returns the reason why the parameters of a custom operation are invalid, or undefined. Empty ones are omitted.
  function checkOwnParameters(typed) {
    const problem = shared().checkTypedValue(typed, { isOptional: true, check: shared().checkJsonObject });
    return problem && shared().describeProblem(translate('label.ownParameters'), problem);
  }

  // Returns the reason why a step or node has an operation that is not in the list of its dialog, or undefined.
  function checkName(operation, operations) {
    if (operations.includes(operation) || shared().isVariable(operation)) return undefined;
    const choices = operations.map((name) => translate(`operation.${name}`)).join(', ');
    return shared().describeProblem(translate('label.operation'), { reason: 'choice', values: { choices: choices } });
  }

  // Returns the reason why the saved operation of a step or node is invalid, or undefined. `operations` are those that its
  // dialog offers. A node that an older version saved without an operation has the first one.
  function checkOperation(step, isForLocal, operations) {
    const invalidName = step.operation === undefined ? undefined : checkName(step.operation, operations);
    if (invalidName) return invalidName;
    if (step.operation === CUSTOM_OPERATION) {
      const { ownOperation = '', ownParameters = '{}', ownParametersType = 'json' } = step;
      return checkOwnOperation(ownOperation) ?? checkOwnParameters({ value: ownParameters, type: ownParametersType });
    }
    const parameters = Object.entries(step.parameters ?? {});
    const reasons = parameters.map(([name, typed]) => checkParameter(step.operation, name, typed, isForLocal));
    return reasons.find((reason) => reason !== undefined);
  }

  // Returns the saved steps of a node; without any list, the default of the node. A step that is not an object has no
  // operation, as none has that misses its own.
  function listSteps({ steps = [{ operation: shared().STEP_OPERATIONS[0] }] }) {
    return [steps].flat().map((step) => ({ operation: '', ...Object(step) }));
  }

  // Returns the reason why a step of a node is invalid, or undefined. `describe` formats the number and the reason.
  function checkSteps(node, operations, describe) {
    const reasons = listSteps(node).map((step) => checkOperation(step, shared().isLocal(node), operations));
    const index = reasons.findIndex((reason) => reason !== undefined);
    return index < 0 ? undefined : describe({ number: index + 1, reason: reasons[index] });
  }

  // Appends a row of label and field to a form and returns the field.
  function addRow(container, icon, text, input) {
    const row = $('<div class="form-row"></div>').appendTo(container);
    const label = $('<label></label>').append(
      $('<i></i>').addClass(`fa fa-${icon}`),
      ' ',
      $('<span></span>').text(text),
    );
    // The rows of the HTML templates have whitespace between label and field too.
    row.append(label, ' ');
    return input.css('width', '70%').appendTo(row);
  }

  // Shows the result of `check` whenever an input or the selected service changes.
  function showChecks(input, check) {
    shared().addTooltip(input);
    const show = () => shared().showReason(input, check());
    input.attr('data-checked', 'true').on('change keyup', show);
    show();
  }

  // Returns the types of the typed input of a parameter.
  function valueTypesFor(rule) {
    if (!rule.values) return ['num', ...shared().DYNAMIC_TYPES];
    const options = rule.values.map((value) => ({ value: value, label: translate(`word.${value}`) }));
    return [
      { value: 'str', label: translate('type.word'), icon: 'fa fa-list', options: options },
      ...shared().DYNAMIC_TYPES,
    ];
  }

  const readTyped = (input) => ({ value: input.typedInput('value'), type: input.typedInput('type') });

  const proposeTyped = (rule, value) => ({ value: String(value), type: rule.values ? 'str' : 'num' });

  // Returns the parameters of an operation that was just selected.
  function proposeParameters(operation) {
    const rules = Object.entries(shared().OPERATIONS[operation] ?? {});
    return Object.fromEntries(rules.map(([name, rule]) => [name, proposeTyped(rule, rule.proposed)]));
  }

  // Appends a row for each parameter of an operation. One that was not saved has its legacy value. Returns a function that
  // reads the settings from the rows.
  function addParameters(container, operation, step, node) {
    const inputs = Object.entries(shared().OPERATIONS[operation]).map(([name, rule]) => {
      const saved = step.parameters?.[name] ?? proposeTyped(rule, rule.legacyValue ?? rule.proposed);
      const input = addRow(container, ICONS[name], translate(`parameter.${name}`), $('<input type="text">'));
      input
        .typedInput({ types: valueTypesFor(rule) })
        .typedInput('type', saved.type)
        .typedInput('value', saved.value);
      showChecks(input, () => checkParameter(operation, name, readTyped(input), shared().isLocal(node)));
      return [name, input];
    });
    return () => ({ parameters: Object.fromEntries(inputs.map(([name, input]) => [name, readTyped(input)])) });
  }

  // Appends the rows of an operation that the user names. Returns a function that reads the settings from the rows.
  function addCustomOperation(container, step) {
    const label = (name) => translate(`label.${name}`);
    const name = addRow(container, ICONS.ownOperation, label('ownOperation'), $('<input type="text">'));
    name.val(step.ownOperation ?? '');
    showChecks(name, () => checkOwnOperation(name.val()));
    const input = addRow(container, ICONS.ownParameters, label('ownParameters'), $('<input type="text">'));
    input
      .typedInput({ types: ['json', ...shared().DYNAMIC_TYPES] })
      .typedInput('type', step.ownParametersType || 'json')
      .typedInput('value', step.ownParameters || '{}');
    showChecks(input, () => checkOwnParameters(readTyped(input)));
    return () => {
      const { value, type } = readTyped(input);
      return { ownOperation: name.val().trim(), ownParameters: value, ownParametersType: type };
    };
  }

  // Appends a list of `operations` and the rows of the selected one, for a step of a node or the node itself. Returns a
  // function that reads the settings to save.
  function editOperation(container, step, operations, node) {
    const select = addRow(container, ICONS.operation, translate('label.operation'), $('<select></select>'));
    for (const name of operations) {
      $('<option></option>')
        .val(name)
        .text(translate(`operation.${name}`))
        .appendTo(select);
    }
    // Flows of older versions may have no operation.
    const { operation = operations[0] } = step;
    // An operation that is not in the list is shown with its name, and stays until the user selects another one.
    if (!operations.includes(operation)) $('<option></option>').val(operation).text(operation).prependTo(select);
    const rows = $('<div></div>').appendTo(container);
    let read = () => ({});
    const showRows = (saved) => {
      rows.empty();
      if (!operations.includes(select.val())) read = () => saved;
      else if (select.val() === CUSTOM_OPERATION) read = addCustomOperation(rows, saved);
      else read = addParameters(rows, select.val(), saved, node);
    };
    select.val(operation);
    showChecks(select, () => checkName(select.val(), operations));
    select.on('change', () => showRows({ parameters: proposeParameters(select.val()) }));
    showRows(step);
    $('#node-input-service').on('change', () => rows.find('[data-checked]').trigger('keyup'));
    return () => {
      const defaults = { parameters: {}, ownOperation: '', ownParameters: '{}', ownParametersType: 'json' };
      const { parameters, ownOperation, ownParameters, ownParametersType } = { ...defaults, ...read() };
      return {
        operation: select.val(),
        parameters: parameters,
        ownOperation: ownOperation,
        ownParameters: ownParameters,
        ownParametersType: ownParametersType,
      };
    };
  }

  // Turns `list` into an editable list of the steps of a node. Returns `read`, which returns the steps to save.
  function editSteps(list, node, operations) {
    list.editableList({
      height: 'auto',
      sortable: true,
      removable: true,
      addItem: (row, _index, { step }) => {
        row.css({ overflow: 'hidden' });
        const added = { operation: operations[0], parameters: proposeParameters(operations[0]) };
        row.data('read', editOperation(row, step ?? added, operations, node));
      },
    });
    for (const step of listSteps(node)) list.editableList('addItem', { step: step });
    const read = () => {
      const rows = list.editableList('items').toArray();
      return rows.map((row) => $(row).data('read')());
    };
    return { read };
  }

  window.modelProcessing = Object.assign(window.modelProcessing ?? {}, {
    checkOperation,
    checkSteps,
    editOperation,
    editSteps,
  });
})();
