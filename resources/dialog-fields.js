// Fields shared by several dialogs. The editor loads this script before the scripts of the nodes that use it.
(() => {
  // The types of a typed input whose value is known only at run time.
  const DYNAMIC_TYPES = ['msg', 'flow', 'global', 'env', 'jsonata'];
  // The types of the id of a file, a model or an operation.
  const ID_TYPES = ['msg', 'flow', 'global', 'str', 'env', 'jsonata'];
  const SAMPLES = ['bracket.stl'];

  // Selects the service of a new node if exactly one service exists.
  function preselectOnlyService() {
    const select = $('#node-input-service');
    const services = [];
    RED.nodes.eachConfig(({ id, type }) => {
      if (type === 'model-processing-service') services.push(id);
    });
    const [only] = services;
    const isUnset = ['', '_ADD_', null].includes(select.val());
    if (services.length === 1 && isUnset && select.find(`option[value="${only}"]`).length > 0) {
      select.val(only).trigger('change');
    }
  }

  // Shows `rows` only while `checkbox` is checked.
  function showWhenChecked(checkbox, rows) {
    const update = () => $(rows).toggle($(checkbox).prop('checked'));
    $(checkbox).on('change', update);
    update();
  }

  // Returns the types of a typed input whose fixed value can be any string. The known values are offered as
  // completions.
  function comboTypes(label, icon, knownValues) {
    const autoComplete = (typed) => {
      // If the field has a known value, all values are offered, so that another one can be chosen.
      const isKnown = knownValues.includes(typed);
      const matches = knownValues.filter((value) => isKnown || value.includes(typed));
      return matches.map((value) => ({ value: value, label: value }));
    };
    return [{ value: 'str', label: label, icon: icon, autoComplete: autoComplete }, ...DYNAMIC_TYPES];
  }

  // Returns a list of values that starts with `presets`. It is replaced in place by the values that the selected
  // service supports.
  function loadKnownValues(field, presets) {
    const knownValues = [...presets];
    let requestedId;
    const load = () => {
      const id = $('#node-input-service').val();
      if (!id || id === '_ADD_' || id === requestedId) return;
      requestedId = id;
      $.getJSON(`model-processing/formats/${id}`, (description) => {
        const supported = description[field];
        if (supported.length > 0) knownValues.splice(0, knownValues.length, ...supported);
      });
    };
    $('#node-input-service').on('change', load);
    load();
    return knownValues;
  }

  // Each page includes operations.generated.js, which may load after this script.
  const unitTypes = (label, noneLabel) => [
    { value: 'none', label: noneLabel, hasValue: false },
    ...comboTypes(label, 'fa fa-arrows-h', loadKnownValues('measurementUnits', window.modelProcessing.UNITS)),
  ];
  // Selects the fixed value for a node that was saved without a type: its unit counts as chosen, as in the runtime half.
  function keepUnitType(node) {
    if (!node.measurementUnitsType) $('#node-input-measurementUnitsType').val('str');
  }

  const formatTypes = (label) =>
    comboTypes(label, 'fa fa-file-o', loadKnownValues('exportFormats', window.modelProcessing.FORMATS));

  // Returns the types of the handling of helper bodies: a choice whose values `labelOf` names.
  const helperTypes = (label, labelOf) => [
    {
      value: 'str',
      label: label,
      icon: 'fa fa-puzzle-piece',
      options: window.modelProcessing.HELPER_HANDLINGS.map((value) => ({ value: value, label: labelOf(value) })),
    },
    ...DYNAMIC_TYPES,
  ];

  // Returns the types of an upload source. `labels.sample` names the bundled samples, `labels.path` a path.
  function sourceTypes(labels) {
    const samples = SAMPLES.map((name) => ({ value: name, label: name }));
    return [
      'msg',
      { value: 'sample', label: labels.sample, icon: 'fa fa-cube', options: samples },
      { value: 'str', label: labels.path, icon: 'fa fa-folder-open-o' },
      ...DYNAMIC_TYPES.filter((type) => type !== 'msg'),
    ];
  }

  // Returns the types of a file path: a string is a path.
  const pathTypes = (label) => [{ value: 'str', label: label, icon: 'fa fa-folder-open-o' }, ...DYNAMIC_TYPES];

  // Shows `rows` only while the download target is a file.
  function showForFile(rows) {
    $('#node-input-target')
      .on('change', function () {
        $(rows).toggle($(this).val() === 'file');
      })
      .trigger('change');
  }

  // Shows `rows` only for a node that was saved before it had a folder. Done sets its folder.
  function showForUnbound(rows, node) {
    $(rows).toggle(node.folder === undefined);
  }

  window.modelProcessing = Object.assign(window.modelProcessing ?? {}, {
    DYNAMIC_TYPES,
    ID_TYPES,
    SAMPLES,
    preselectOnlyService,
    showWhenChecked,
    unitTypes,
    keepUnitType,
    formatTypes,
    helperTypes,
    sourceTypes,
    pathTypes,
    showForFile,
    showForUnbound,
  });
})();
