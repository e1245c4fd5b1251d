// Generated from nodes/shared/node/field-rules.ts: change that file, then run `npm run generate`.
// The editor loads this script before the scripts of the nodes that use it.
(() => {
  const NUMBER_RULES = {
    concurrency: { isInteger: true, min: 1 },
    pollMin: { min: 0.05 },
    pollMax: { min: 0.05 },
    timeout: { min: 1 },
    completeSeconds: { min: 0.1 },
    pictureWidth: { isInteger: true, min: 40 },
  };
  const MAX_PATH_LENGTH = 4096;
  function isBlank(value) {
    return value === void 0 || value === null || String(value).trim() === '';
  }
  function isVariable(value) {
    return typeof value === 'string' && /^\$(\{\S+\}|\(\S+\))$/.test(value);
  }
  function checkNumber(value, rule) {
    const { isInteger = false, exclusiveMin, min, max } = rule;
    const number = isBlank(value) ? Number.NaN : Number(value);
    const isAllowed =
      Number.isFinite(number) &&
      (!isInteger || Number.isInteger(number)) &&
      number > (exclusiveMin ?? Number.NEGATIVE_INFINITY) &&
      number >= (min ?? Number.NEGATIVE_INFINITY) &&
      number <= (max ?? Number.POSITIVE_INFINITY);
    if (isAllowed) return void 0;
    const values = { exclusiveMin, min, max };
    const kind = isInteger ? 'integer' : 'number';
    if (exclusiveMin !== void 0) return { reason: `${kind}Above`, values };
    if (min === void 0) return { reason: kind };
    return { reason: max === void 0 ? `${kind}From` : `${kind}Between`, values };
  }
  function checkChoice(value, choices) {
    const isListed = choices.some((choice) => choice.toLowerCase() === value.trim().toLowerCase());
    return isListed ? void 0 : { reason: 'choice', values: { choices: choices.join(', ') } };
  }
  function checkFormat(value, formats) {
    return checkChoice(value.trim().replace(/^\./, ''), formats);
  }
  function checkAddress(value) {
    const url = parseHttpUrl(value);
    return url && !url.username && !url.password ? void 0 : { reason: 'address' };
  }
  function checkPublicUrl(value) {
    const url = parseHttpUrl(value);
    const isOrigin = url && url.pathname === '/' && !url.search && !url.hash && !url.username && !url.password;
    return isOrigin ? void 0 : { reason: 'publicUrl' };
  }
  function parseHttpUrl(value) {
    try {
      const url = new URL(value.trim());
      return /^https?:$/.test(url.protocol) ? url : void 0;
    } catch {
      return void 0;
    }
  }
  function checkIdFormat(value) {
    const isId = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i.test(value.trim());
    return isId ? void 0 : { reason: 'uuid' };
  }
  function checkOperationName(value) {
    return /^[a-z][a-z0-9-]{0,63}$/.test(value.trim()) ? void 0 : { reason: 'operationName' };
  }
  function isJsonObject(value) {
    return typeof value === 'object' && !Array.isArray(value);
  }
  function checkJsonObject(value) {
    try {
      if (isJsonObject(JSON.parse(value))) return void 0;
    } catch {}
    return { reason: 'jsonObject' };
  }
  function findScheme(value) {
    return /^([a-z][a-z\d+.-]+):\/\//i.exec(value.trim())?.[1];
  }
  function checkSourcePath(value) {
    const name = value.trim();
    if (name === '' || name.length > MAX_PATH_LENGTH || /[\n\0]/.test(name)) return { reason: 'sourcePath' };
    if (findScheme(name) !== void 0) return { reason: 'sourceUrl' };
    return /[\\/]$/.test(name) ? { reason: 'sourceFolder' } : void 0;
  }
  function checkExtension(value) {
    return /[^./\\]\.[^./\\]+[/\\]*$/.test(value.trim()) ? void 0 : { reason: 'filename' };
  }
  function checkTargetPath(value) {
    if (findScheme(value) !== void 0) return { reason: 'targetUrl' };
    if (/^([\\/]|[a-z]:[\\/]|~$|~[\\/])/i.test(value)) return void 0;
    let depth = 0;
    for (const segment of value.split('/')) {
      if (segment === '..') depth -= 1;
      else if (segment !== '' && segment !== '.') depth += 1;
      if (depth < 0) return { reason: 'targetPath' };
    }
    return void 0;
  }

  window.modelProcessing = Object.assign(window.modelProcessing ?? {}, {
    NUMBER_RULES,
    checkAddress,
    checkChoice,
    checkExtension,
    checkFormat,
    checkIdFormat,
    checkJsonObject,
    checkNumber,
    checkOperationName,
    checkPublicUrl,
    checkSourcePath,
    checkTargetPath,
    findScheme,
    isBlank,
    isJsonObject,
    isVariable,
  });
})();
