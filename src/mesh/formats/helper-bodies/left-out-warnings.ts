import type { ReportWarning } from '../../analysis/report.js';
import type { HelperBodies } from '../../core/mesh.js';
import { pluralize } from '../../core/pluralize.js';
import { exportFormatOf } from '../registry.js';

/** Returns the warning about helper bodies that an export leaves out, because the format does not store their roles. */
export function createLeftOutWarnings(helpers: HelperBodies | undefined, format: string): ReportWarning[] {
  const { writtenRoles = [] } = exportFormatOf(format) ?? {};
  const count = (helpers?.objects ?? []).filter(({ role }) => role && !writtenRoles.includes(role)).length;
  if (count === 0) return [];
  const subject = pluralize(count, 'helper body', 'helper bodies');
  const message = `${subject} ${count === 1 ? 'was' : 'were'} left out: the format ${format} cannot store ${count === 1 ? 'its role' : 'their roles'}. 3MF keeps negative volumes, modifiers, support enforcers and support blockers.`;
  return [{ code: 'HELPERS_DROPPED', message }];
}
