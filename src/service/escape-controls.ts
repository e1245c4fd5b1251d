/**
 * Characters that a terminal acts on: the control characters of ASCII and Latin-1 (ECMA-48), line and paragraph separators, and
 * those that change the direction of text, by which a name can look like another one.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what it is for
const CONTROLS = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

function escapeCharacter(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** Returns a name as it can be shown in one line of a terminal: control characters as `\u001b`, as in JSON. */
export function escapeControls(name: string): string {
  return name.replace(CONTROLS, escapeCharacter);
}

/** Escapes the control characters of a text for a terminal, except line feeds and tabs. JSON stays equivalent. */
export function escapeControlsInLines(text: string): string {
  return text.replace(CONTROLS, (character) =>
    character === '\n' || character === '\t' ? character : escapeCharacter(character),
  );
}
