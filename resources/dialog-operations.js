// The choice of operations and of their parameters, that dialogs share. The editor loads this before the scripts of the nodes that ask for it.
(() => {
  const OWN_OPERATION = 'other';
  const FURTHER_TYPES = ['msg', 'flow', 'global', 'env', 'jsonata'];

  const words = (preset, ...values) => ({ preset: preset, words: values });
  const whole = (preset, least, most) => ({ preset: preset, isWhole: true, least: least, most: most });
  // Nothing that is printed, nor a machine that prints, is larger than a kilometre.
  const millimetres = (preset) => ({ preset: preset, above: 0, most: 1e6 });

  // Those that a model operation offers, and a process beside the repair.
  const FURTHER_OPERATIONS = [
    'analyze',
    'geometrical-repair',
    'shrinkwrap-repair',
    'scale',
    'reduce-triangles',
    'hollowing',
    'wall-thickness-analysis',
    'thumbnail',
  ];

  // The operations on a model, and what their parameters may be.
  const OPERATIONS = {
    analyze: {},
    repair: { innerShells: words('auto', 'auto', 'void', 'merge') },
    'geometrical-repair': {},
    'shrinkwrap-repair': { accuracy: words('Smooth', 'Rough', 'Smooth', 'Detailed') },
    scale: { axis: words('z', 'x', 'y', 'z'), scaleToSizeMm: millimetres(100) },
    'reduce-triangles': {
      accuracyMm: millimetres(0.1),
      maxAngle: whole(15, 0, 180),
      numberOfIterations: whole(1, 1, 1000),
    },
    hollowing: { wallThicknessMm: millimetres(2) },
    'wall-thickness-analysis': { minimalWallThicknessMm: millimetres(1), accuracyWallThickness: whole(2, 0, 100) },
    thumbnail: {
      width: whole(400, 1, 4096),
      height: whole(300, 1, 4096),
      cameraAngleX: whole(25, -360, 360),
      cameraAngleY: whole(0, -360, 360),
      cameraAngleZ: whole(-35, -360, 360),
      background: words('plain', 'plain', 'transparent'),
    },
  };

  // The names of operations and parameters stand in one catalogue, whichever node shows them.
  function label(key, values) {
    return RED._(`@model-processing/node-red/model-processing-operation:operation.${key}`, values);
  }

  // Why a value cannot be this parameter; undefined where it can, or where only a message will tell.
  function problemOf(rule, { value, type }) {
    if (/^\$\{[^}]+\}$/.test(value)) return undefined;
    if (type !== 'num' && type !== 'str') {
      return RED.utils.validateTypedProperty(value, type) === true ? undefined : label('invalid.expression');
    }
    if (rule.words) {
      const isWord = rule.words.some((word) => word.toLowerCase() === value.toLowerCase());
      return isWord ? undefined : label('invalid.words', { words: rule.words.join(', ') });
    }
    const number = Number(value);
    const { above = Number.NEGATIVE_INFINITY, least = Number.NEGATIVE_INFINITY, most } = rule;
    const isNumber = value.trim() !== '' && (rule.isWhole ? Number.isInteger(number) : Number.isFinite(number));
    if (isNumber && number > above && number >= least && number <= most) return undefined;
    if (!rule.isWhole) return label('invalid.number', { above: above, most: most });
    return label('invalid.whole', { least: least, most: most });
  }

  // true, or what is wrong with an operation and its parameters as they were saved.
  function checkOperation(step, opt) {
    if (step.operation === OWN_OPERATION) {
      const isName = /^[a-z][a-z0-9-]*$/.test(step.ownOperation);
      return isName || (opt ? label('invalid.ownOperation') : false);
    }
    for (const [name, rule] of Object.entries(OPERATIONS[step.operation] ?? {})) {
      const problem = step.parameters?.[name] && problemOf(rule, step.parameters[name]);
      if (problem) return opt ? `${label(`parameter.${name}`)}: ${problem}` : false;
    }
    return true;
  }

  function addRow(container, text, input) {
    const row = $('<div class="form-row"></div>').appendTo(container);
    // As in the dialogs' own rows, where a space stands between label and field.
    row.append($('<label></label>').text(text), ' ');
    return input.css('width', '70%').appendTo(row);
  }

  // Marks a field as the editor does, with the reason where the mouse rests on it.
  function showProblem(input, problem) {
    const shown = input.next('.red-ui-typedInput-container').addBack();
    shown.toggleClass('input-error', problem !== undefined).attr('title', problem ?? '');
  }

  function typesOf(rule) {
    if (!rule.words) return ['num', ...FURTHER_TYPES];
    const options = rule.words.map((word) => ({ value: word, label: label(`word.${word}`) }));
    return [{ value: 'str', label: label('type.word'), icon: 'fa fa-list', options: options }, ...FURTHER_TYPES];
  }

  // The rows of an operation's parameters. Answers how to read what stands in them.
  function addParameters(container, operation, step) {
    const inputs = Object.entries(OPERATIONS[operation]).map(([name, rule]) => {
      const saved = step.parameters?.[name] ?? { value: String(rule.preset), type: rule.words ? 'str' : 'num' };
      const input = addRow(container, label(`parameter.${name}`), $('<input type="text">'));
      input
        .typedInput({ types: typesOf(rule) })
        .typedInput('type', saved.type)
        .typedInput('value', saved.value);
      return [name, input];
    });
    const read = (input) => ({ value: input.typedInput('value'), type: input.typedInput('type') });
    for (const [name, input] of inputs) {
      const mark = () => showProblem(input, problemOf(OPERATIONS[operation][name], read(input)));
      input.on('change', mark);
      mark();
    }
    return () => ({ parameters: Object.fromEntries(inputs.map(([name, input]) => [name, read(input)])) });
  }

  function addOwnOperation(container, step) {
    const name = addRow(container, label('label.ownOperation'), $('<input type="text">')).val(step.ownOperation ?? '');
    const markName = () => {
      const checked = checkOperation({ operation: OWN_OPERATION, ownOperation: name.val().trim() }, {});
      showProblem(name, checked === true ? undefined : checked);
    };
    name.on('change input', markName);
    markName();
    const input = addRow(container, label('label.ownParameters'), $('<input type="text">'));
    input
      .typedInput({ types: ['json', ...FURTHER_TYPES] })
      .typedInput('type', step.ownParametersType || 'json')
      .typedInput('value', step.ownParameters || '{}');
    return () => ({
      ownOperation: name.val().trim(),
      ownParameters: input.typedInput('value'),
      ownParametersType: input.typedInput('type'),
    });
  }

  // The choice of one of `operations`, with the rows of what is chosen. Answers how to read what would be saved.
  function editOperation(container, step, operations) {
    const select = addRow(container, label('label.operation'), $('<select></select>'));
    for (const name of operations) {
      $('<option></option>')
        .val(name)
        .text(label(`operation.${name}`))
        .appendTo(select);
    }
    const rows = $('<div></div>').appendTo(container);
    let read = () => ({});
    const show = (saved) => {
      rows.empty();
      const isOwn = select.val() === OWN_OPERATION;
      read = isOwn ? addOwnOperation(rows, saved) : addParameters(rows, select.val(), saved);
    };
    // An older flow may not say it.
    select.val(operations.includes(step.operation) ? step.operation : operations[0]);
    select.on('change', () => show({}));
    show(step);
    return () => {
      const nothing = { parameters: {}, ownOperation: '', ownParameters: '{}', ownParametersType: 'json' };
      return { operation: select.val(), ...nothing, ...read() };
    };
  }

  // The editable list of steps. Its `read` answers what would be saved.
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
    FURTHER_OPERATIONS,
    OPERATIONS,
    checkOperation,
    editOperation,
    editSteps,
  });
})();
