import type { ReportWarning, WarningCode } from '../../analysis/report.js';
import type { HelperRole } from '../../core/mesh.js';
import { pluralize } from '../../core/pluralize.js';

/** What happened to a body of a file. */
export interface NamedEvent {
  event: 'subtracted' | 'failed' | 'repaired' | 'swallowed' | 'dropped' | 'kept' | 'unprintable';
  name: string;
  role?: HelperRole | undefined;
}

/** A warning names at most this many bodies. */
const MAX_NAMES = 10;

const ROLE_NAMES: Readonly<Record<HelperRole, string>> = {
  negative: 'negative volume',
  modifier: 'modifier',
  supportEnforcer: 'support enforcer',
  supportBlocker: 'support blocker',
  support: 'support body',
  other: 'helper body',
};

/** Event → the code of its warning, and its verb for one body and for several. */
const EVENTS: Readonly<Record<NamedEvent['event'], { code: WarningCode; one: string; many: string; remedy?: string }>> =
  {
    subtracted: { code: 'NEGATIVES_SUBTRACTED', one: 'was subtracted', many: 'were subtracted' },
    failed: {
      ...{ code: 'NEGATIVES_FAILED', one: 'could not be subtracted', many: 'could not be subtracted' },
      remedy: 'Subtract in the slicer or the CAD program, and save the result.',
    },
    repaired: {
      ...{
        code: 'NEGATIVES_SUBTRACTED',
        one: 'was repaired for the subtraction',
        many: 'were repaired for the subtraction',
      },
    },
    swallowed: {
      code: 'NEGATIVES_SUBTRACTED',
      one: 'was removed entirely by negative volumes',
      many: 'were removed entirely by negative volumes',
    },
    dropped: { code: 'HELPERS_DROPPED', one: 'was left out', many: 'were left out' },
    kept: { code: 'HELPERS_KEPT', one: 'is kept beside the model', many: 'are kept beside the model' },
    unprintable: {
      ...{
        code: 'UNPRINTABLE_DROPPED',
        one: 'is not to be printed and was left out',
        many: 'are not to be printed and were left out',
      },
    },
  };

/** Returns one warning for each kind of event and role, with the names of the bodies. */
export function createNameWarnings(events: readonly NamedEvent[]): ReportWarning[] {
  const groups = new Map<string, { event: NamedEvent['event']; noun: string; names: string[] }>();
  for (const { event, name, role } of events) {
    const noun = event === 'unprintable' ? 'object' : event === 'swallowed' ? 'part' : role ? ROLE_NAMES[role] : 'part';
    const key = `${event} ${noun}`;
    const group = groups.get(key) ?? { event, noun, names: [] };
    groups.set(key, group);
    group.names.push(name);
  }
  return [...groups.values()].map(({ event, noun, names }) => {
    const { code, one, many, remedy } = EVENTS[event];
    const subject = pluralize(names.length, noun, noun.replace(/y$/, 'ie').concat('s'));
    const text = `${subject} ${names.length === 1 ? one : many}${formatNames(names)}.`;
    return { code, message: remedy ? `${text} ${remedy}` : text };
  });
}

/** Formats the different names of bodies, or nothing if none has one. */
function formatNames(names: readonly string[]): string {
  const unique = [...new Set(names.filter((name) => name !== ''))];
  if (unique.length === 0) return '';
  const named = unique.slice(0, MAX_NAMES).map((name) => `“${name.slice(0, 80)}”`);
  return `: ${named.join(', ')}${unique.length > MAX_NAMES ? ', …' : ''}`;
}
