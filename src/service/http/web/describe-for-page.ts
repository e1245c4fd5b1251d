import { UNIT_IN_MM } from '../../../mesh/core/units.js';
import { EXPORT_FORMATS, IMPORT_FORMATS } from '../../../mesh/formats/registry.js';
import type { Limits } from '../../defaults.js';
import { IMPORT } from '../../operations/kinds/import.js';
import { OPERATION_KINDS } from '../../operations/kinds.js';
import type { Parameter } from '../../operations/parameters.js';
import { isPackageInstalled } from '../is-package-installed.js';

/** Returns the rule of a parameter for a form: its values or its bounds, and the value that a form proposes. */
function describeField(parameter: Parameter): object {
  const { proposed } = parameter;
  if ('values' in parameter) return { proposed, values: parameter.values };
  if ('names' in parameter) return { proposed, values: parameter.names };
  if ('maxLength' in parameter) return { proposed, maxLength: parameter.maxLength };
  const { isInteger, exclusiveMin, min, max } = parameter;
  return { proposed, isInteger, exclusiveMin, min, max };
}

/**
 * Returns the part of the records of operations and formats that the forms of the page are created from. The dialogs of the
 * nodes are generated from the same records.
 */
export function describeForPage({ uploadBytes }: Pick<Limits, 'uploadBytes'>) {
  const operations = OPERATION_KINDS.map(({ name, parameters }) => {
    const fields = Object.entries(parameters).map(([field, parameter]) => [field, describeField(parameter)]);
    return [name, Object.fromEntries(fields)];
  });
  const formats = IMPORT_FORMATS.filter(({ needsPackage }) => !needsPackage || isPackageInstalled(needsPackage));
  return {
    operations: Object.fromEntries(operations),
    importFormats: formats.map(({ extensions, hasUnits }) => ({ extensions, hasUnits })),
    exportFormats: EXPORT_FORMATS.map(({ id, extensions }) => ({ id, extensions })),
    units: IMPORT.parameters.measurementUnits.names,
    unitsInMm: UNIT_IN_MM,
    uploadBytes,
  };
}
