// The validators of the settings, shared by the dialogs. They apply the rules of the runtime halves.
// The editor loads this script before the scripts of the nodes that use it.
(() => {
  // The rules and tables of the generated scripts, which may load after this script.
  const shared = () => window.modelProcessing;

  // Returns a text of the catalog of the service node, which has the texts for all nodes.
  function translate(key, values) {
    return RED._(`@model-processing/node-red/model-processing-service:service.${key}`, values);
  }

  // Formats a problem for a tooltip: the label of the field, and what to enter.
  function describeProblem(label, problem) {
    return `${label}: ${translate(`invalid.${problem.reason}`, problem.values)}`;
  }

  // Returns the label of the service of a node, for the messages of Node-RED.
  function serviceLabel() {
    return translate('label.service');
  }

  // Returns a setting of a node: from its dialog while that is open, else from the node.
  function readSetting(node, name) {
    const isOpen = RED.editor.getEditStack().some(({ id }) => id === node.id);
    const prefix = node.type === 'model-processing-service' ? 'node-config-input' : 'node-input';
    const input = isOpen ? $(`#${prefix}-${name}`) : $();
    if (input.length === 0) return node[name];
    return input.attr('type') === 'checkbox' ? input.prop('checked') : input.val();
  }

  // Returns a validator for the `defaults` of a node. `check` gets the value and the node, and returns the problem if
  // there is one. A setting that an older version did not save has its default.
  function createValidator(label, check) {
    // The second parameter tells Node-RED that the validator returns a reason.
    return function (value, _options) {
      if (value === undefined || value === null || shared().isVariable(value)) return true;
      const problem = check(value, this);
      return problem === undefined ? true : describeProblem(this._(label), problem);
    };
  }

  // Returns the problem of the value of a typed input. `check` is the rule for a fixed value. An empty value is checked
  // too, unless it is optional.
  function checkTypedValue({ value, type }, { isOptional = false, check = () => undefined }) {
    if (shared().isVariable(value) || (isOptional && shared().isBlank(value))) return undefined;
    if (!shared().DYNAMIC_TYPES.includes(type)) return check(value);
    const isValid = !shared().isBlank(value) && RED.utils.validateTypedProperty(value, type) === true;
    return isValid ? undefined : { reason: type === 'env' ? 'variable' : 'expression' };
  }

  // Returns whether the service of a node is known to be the local one, whose limits are known. In a subflow, the service
  // can be an environment variable, which may refer to a remote one.
  function isLocal(node) {
    const service = RED.nodes.node(readSetting(node, 'service'));
    // Older versions did not save the setting.
    return service ? (service.service ?? 'local') === 'local' : false;
  }

  // Returns the problem of a text that must not be empty. `check` is the rule of the local service.
  function checkText(value, isForLocal, check) {
    if (isForLocal) return check();
    return shared().isBlank(value) ? { reason: 'text' } : undefined;
  }

  // Returns the problem of a typed input for a parameter of an operation.
  function checkParameter(rule, typedValue, isForLocal, isOptional = false) {
    const check = (value) =>
      rule.values
        ? checkText(value, isForLocal, () => shared().checkChoice(value, rule.values))
        : shared().checkNumber(value, isForLocal ? rule : {});
    return checkTypedValue(typedValue, { isOptional: isOptional, check: check });
  }

  // Returns the problem of a fixed source of an upload: the name of a sample, or a path.
  function checkSource(value, type) {
    return type === 'sample' ? shared().checkChoice(value, shared().SAMPLES) : shared().checkSourcePath(value);
  }

  const fieldOf = (label) => label.split('.').pop();

  // Returns a validator for a typed input. `check` gets the typed value and the node.
  function typedInput(label, defaultType, check) {
    return createValidator(label, (value, node) => {
      const type = readSetting(node, `${fieldOf(label)}Type`) || defaultType;
      return check({ value: value, type: type }, node);
    });
  }

  // The validators of the settings that several nodes have. `label` is the key of the label of the field.
  const validators = {
    // The id of a file, a model or an operation.
    id: (label) => typedInput(label, 'msg', (typed) => checkTypedValue(typed, { check: shared().checkIdFormat })),
    // The id of a model to compare with; none for the two types without a value.
    comparedId: (label) =>
      typedInput(label, 'repair', (typed) => {
        if (typed.type === 'repair' || typed.type === 'none') return undefined;
        return checkTypedValue(typed, { check: shared().checkIdFormat });
      }),
    unit: (label) =>
      typedInput(label, 'str', (typed, node) =>
        typed.type === 'none' ? undefined : checkParameter({ values: shared().UNITS }, typed, isLocal(node)),
      ),
    format: (label) =>
      typedInput(label, 'str', (typed, node) =>
        checkTypedValue(typed, {
          check: (value) => checkText(value, isLocal(node), () => shared().checkFormat(value, shared().FORMATS)),
        }),
      ),
    helpers: (label) =>
      typedInput(label, 'str', (typed, node) =>
        checkParameter({ values: shared().HELPER_HANDLINGS }, typed, isLocal(node), true),
      ),
    // An optional parameter of an import.
    importNumber: (label) =>
      typedInput(label, 'num', (typed, node) =>
        checkParameter(shared().IMPORT_NUMBERS[fieldOf(label)], typed, isLocal(node), true),
      ),
    // The name of a model in a ZIP.
    entry: (label) => typedInput(label, 'str', (typed) => checkTypedValue(typed, { isOptional: true })),
    source: (label) =>
      typedInput(label, 'msg', (typed) => checkTypedValue(typed, { check: (value) => checkSource(value, typed.type) })),
    filename: (label) =>
      typedInput(label, 'str', (typed) => checkTypedValue(typed, { isOptional: true, check: shared().checkExtension })),
    // The path of a download to a file.
    targetPath: (label) =>
      typedInput(label, 'str', (typed, node) => {
        if (readSetting(node, 'target') !== 'file') return undefined;
        return checkTypedValue(typed, { isOptional: true, check: shared().checkTargetPath });
      }),
    // A number of NUMBER_RULES; if it is empty, the default applies. `limit` returns a stricter rule for a node.
    number: (label, name, limit = (rule) => rule) =>
      createValidator(label, (value, node) => {
        if (shared().isBlank(value)) return undefined;
        return shared().checkNumber(value, limit(shared().NUMBER_RULES[name], node));
      }),
    // The duration of the wait until a file is complete.
    seconds: (label) =>
      createValidator(label, (value, node) => {
        if (shared().isBlank(value) || readSetting(node, 'waitComplete') !== true) return undefined;
        return shared().checkNumber(value, shared().NUMBER_RULES.completeSeconds);
      }),
  };

  // Shows the reason why an input is invalid as a tooltip of its visible part. Node-RED sets and deletes the reason: it
  // uses the tooltip in the data of an input, and would otherwise attach one to the hidden part of a typed input.
  function addTooltip(input) {
    let reason = null;
    const tooltip = {
      setContent: (text) => {
        reason = text;
      },
      delete: () => {
        reason = null;
        input.data('tooltip', tooltip);
      },
    };
    input.data('tooltip', tooltip);
    const container = input.next('.red-ui-typedInput-container');
    // Without a maximum width, a long reason would be cut off at the edge of the window.
    const show = () => reason && $('<div>').css({ maxWidth: 280, whiteSpace: 'normal' }).text(reason);
    RED.popover.tooltip(container.length > 0 ? container : input, show);
  }

  // Marks an input as invalid for a reason, like Node-RED does for the settings of a node. Removes the mark if `reason`
  // is undefined.
  function showReason(input, reason) {
    input
      .next('.red-ui-typedInput-container')
      .addBack()
      .toggleClass('input-error', reason !== undefined);
    if (reason === undefined) input.data('tooltip').delete();
    else input.data('tooltip').setContent(reason);
  }

  // Creates a typed input for a setting of the open dialog.
  function setUpTypedInput(field, types) {
    const input = $(`#node-input-${field}`);
    input.typedInput({ types: types, typeField: `#node-input-${field}Type` });
    addTooltip(input);
  }

  window.modelProcessing = Object.assign(window.modelProcessing ?? {}, {
    validators,
    serviceLabel,
    createValidator,
    checkTypedValue,
    checkParameter,
    describeProblem,
    isLocal,
    readSetting,
    addTooltip,
    showReason,
    setUpTypedInput,
  });
})();
