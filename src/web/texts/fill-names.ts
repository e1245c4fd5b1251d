/** The names and numbers that a message of the service lists after a colon. */
const NAMES = /: ((?:(?:\d+ )?“[^”]*”|\d+|…)(?:, (?:(?:\d+ )?“[^”]*”|\d+|…))*)\./;

/** Replaces `{names}` in a text by what a message of the service lists, in German quotes, or by nothing. */
export function fillNames(text: string, message: string): string {
  const names = NAMES.exec(message)?.[1]?.replaceAll('“', '„').replaceAll('”', '“');
  return text.replace('{names}', () => (names === undefined ? '' : `: ${names}`));
}
