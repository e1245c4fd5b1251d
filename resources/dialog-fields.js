// The fields that dialogs share. The editor loads this before the scripts of the nodes that ask for it.
(() => {
  const FURTHER_TYPES = ['msg', 'flow', 'global', 'env', 'jsonata'];
  const SAMPLES = ['bracket.stl'];
  const UNITS = ['mm', 'cm', 'm', 'um', 'inch', 'ft'];
  const FORMATS = ['stl', 'stl-ascii', 'obj', 'ply', 'off', '3mf', 'amf', 'glb'];

  // A typed input takes an empty text for a valid one; here it would only fail later.
  function required(validate, reason) {
    return function (value, opt) {
      if (value === '') return opt ? this._(reason) : false;
      return validate.call(this, value, opt);
    };
  }

  // A number of at least so much, a variable that holds one, or nothing: the default.
  function atLeast(least, reason) {
    return function (value, opt) {
      if (value === undefined || value === '' || /^\$\{[^}]+\}$/.test(value) || Number(value) >= least) return true;
      return opt ? this._(reason, { least: least }) : false;
    };
  }

  // A node that was just dragged in has no service yet. Where there is only one, it is meant.
  function chooseOnlyService() {
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

  function showWhenChecked(checkbox, rows) {
    const show = () => $(rows).toggle($(checkbox).prop('checked'));
    $(checkbox).on('change', show);
    show();
  }

  // The types of a typed input whose fixed value may be any text; the known ones are offered.
  function comboTypes(text, icon, known) {
    const autoComplete = (typed) => {
      const isKnown = known.includes(typed);
      return known.filter((value) => isKnown || value.includes(typed)).map((value) => ({ value: value, label: value }));
    };
    return [{ value: 'str', label: text, icon: icon, autoComplete: autoComplete }, ...FURTHER_TYPES];
  }

  // What is known without asking anybody, until the chosen service has said what it knows.
  function knownBy(field, presets) {
    const known = [...presets];
    let asked;
    const ask = () => {
      const id = $('#node-input-service').val();
      if (!id || id === '_ADD_' || id === asked) return;
      asked = id;
      $.getJSON(`model-processing/formats/${id}`, (said) => {
        if (said[field].length > 0) known.splice(0, known.length, ...said[field]);
      });
    };
    $('#node-input-service').on('change', ask);
    ask();
    return known;
  }

  const unitTypes = (text) => comboTypes(text, 'fa fa-arrows-h', knownBy('measurementUnits', UNITS));
  const formatTypes = (text) => comboTypes(text, 'fa fa-file-o', knownBy('exportFormats', FORMATS));

  // What can be uploaded. `labels`: of the bundled samples, and of a path.
  function sourceTypes(labels) {
    const samples = SAMPLES.map((name) => ({ value: name, label: name }));
    return [
      'msg',
      { value: 'sample', label: labels.sample, icon: 'fa fa-cube', options: samples },
      { value: 'str', label: labels.path, icon: 'fa fa-folder-open-o' },
      'flow',
      'global',
      'env',
      'jsonata',
    ];
  }

  // Where a file is, or is to be, where a text means a path.
  const pathTypes = (label) => [{ value: 'str', label: label, icon: 'fa fa-folder-open-o' }, ...FURTHER_TYPES];

  // Rows that concern a file only, below the choice between a Buffer and a file.
  function showForFile(rows) {
    $('#node-input-target')
      .on('change', function () {
        $(rows).toggle($(this).val() === 'file');
      })
      .trigger('change');
  }

  window.modelProcessing = Object.assign(window.modelProcessing ?? {}, {
    required,
    atLeast,
    chooseOnlyService,
    showWhenChecked,
    unitTypes,
    formatTypes,
    sourceTypes,
    pathTypes,
    showForFile,
  });
})();
